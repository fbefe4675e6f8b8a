#include "client-tests/launch/http_call.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace mishap::client_tests {
namespace {

constexpr std::size_t kKeptOfBody = 64 * 1024;

// A service that was told "localhost" may listen on either.
std::vector<std::string> hosts_of(const std::string& host) {
  if (host == "localhost") return {"127.0.0.1", "::1"};
  return {host};
}

std::string host_field(const scenarios::LocalUrl& url) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + url.host + "]" : url.host) + ":" + std::to_string(url.port);
}

bool has_field(const httplib::Request& request, const char* name) {
  return request.has_header(name);
}

httplib::Request wire_form(const HttpRequest& from) {
  httplib::Request request;
  request.method = from.method;
  request.path = from.url.target;
  for (const auto& field : from.headers) request.headers.emplace(field.name, field.value);
  if (!has_field(request, "Host")) request.set_header("Host", host_field(from.url));
  if (!from.content_type.empty() && !has_field(request, "Content-Type")) {
    request.set_header("Content-Type", from.content_type);
  }
  request.body = from.body;
  return request;
}

}  // namespace

class HttpCall::Work {
 public:
  Work(HttpRequest request, Duration patience) : request_(std::move(request)), patience_(patience) {
    thread_ = std::thread([this] { run(); });
  }

  ~Work() {
    give_up();
    thread_.join();
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    if (client_) client_->stop();
  }

  bool done() const { return done_.load(std::memory_order_acquire); }
  const HttpAnswer& answer() const { return answer_; }

 private:
  void run() {
    try {
      for (const auto& host : hosts_of(request_.url.host)) {
        if (!try_host(host)) break;
      }
    } catch (const std::exception& error) {
      answer_.error = error.what();
    }
    done_.store(true, std::memory_order_release);
  }

  // True: nobody was there, another address may be tried.
  bool try_host(const std::string& host) {
    auto client = std::make_shared<httplib::Client>(host, request_.url.port);
    set_up(*client);
    {
      const std::lock_guard lock(mutex_);
      if (given_up_) return false;
      client_ = client;
    }
    auto request = wire_form(request_);
    request.content_receiver = [this](const char* data, std::size_t size, std::uint64_t,
                                      std::uint64_t) {
      answer_.body.append(data, std::min(size, kKeptOfBody - answer_.body.size()));
      return true;
    };
    const auto result = client->send(request);
    if (result) {
      answer_.status = result->status;
      answer_.error.clear();
      return false;
    }
    answer_.error = given_up_ ? "given up" : httplib::to_string(result.error());
    return result.error() == httplib::Error::Connection && !given_up_;
  }

  void set_up(httplib::Client& client) const {
    client.set_connection_timeout(patience_);
    client.set_read_timeout(patience_);
    client.set_write_timeout(patience_);
    client.set_keep_alive(false);
    client.set_follow_location(false);
    client.set_decompress(false);
    client.set_tcp_nodelay(true);
  }

  HttpRequest request_;
  Duration patience_;
  HttpAnswer answer_;
  std::mutex mutex_;  // of client_
  std::shared_ptr<httplib::Client> client_;
  std::atomic<bool> given_up_ = false;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

HttpCall::HttpCall(HttpRequest request, Duration patience)
    : work_(std::make_unique<Work>(std::move(request), patience)) {}
HttpCall::~HttpCall() = default;

bool HttpCall::done() const {
  return work_->done();
}

const HttpAnswer& HttpCall::answer() const {
  return work_->answer();
}

void HttpCall::give_up() {
  work_->give_up();
}

}  // namespace mishap::client_tests
