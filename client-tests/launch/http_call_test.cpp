#include "client-tests/launch/http_call.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/launch_test_support.h"

namespace mishap::client_tests {
namespace {

// Takes one connection and answers it with the bytes given, or never.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    listener_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    ::bind(listener_.get(), raw, length);
    ::listen(listener_.get(), 1);
    ::getsockname(listener_.get(), raw, &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~OneAnswer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  Port port() const { return port_; }
  bool asked() const { return asked_; }
  // Once the call is done.
  const std::string& request() const { return request_; }

 private:
  void serve() {
    const FileDescriptor client(::accept(listener_.get(), nullptr, nullptr));
    if (!client) return;
    char buffer[4096];
    for (ssize_t got = 1; got > 0 && request_.find("\r\n\r\n") == std::string::npos;) {
      got = ::recv(client.get(), buffer, sizeof buffer, 0);
      if (got > 0) request_.append(buffer, static_cast<std::size_t>(got));
    }
    asked_ = true;
    if (answer_.empty()) {
      while (::recv(client.get(), buffer, sizeof buffer, 0) > 0) {
      }
      return;
    }
    ::send(client.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
  }

  std::string answer_;
  std::string request_;
  std::atomic<bool> asked_ = false;
  FileDescriptor listener_;
  Port port_ = 0;
  std::thread thread_;
};

HttpRequest request_to(Port port, const std::string& host = "127.0.0.1") {
  HttpRequest request;
  request.method = "POST";
  request.url = {host, port, "/orders?x=1"};
  request.headers = {{"X-User", "ann"}};
  request.body = "{}";
  request.content_type = "application/json";
  return request;
}

bool wait_for(const HttpCall& call, std::chrono::seconds patience = std::chrono::seconds(20)) {
  const TestClock clock;
  const Duration began = clock.now();
  while (!call.done() && clock.now() - began < patience) ::poll(nullptr, 0, 2);
  return call.done();
}

TEST(HttpCall, SendsTheRequestAndGivesTheAnswer) {
  std::string request;
  {
    OneAnswer server("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nno");
    HttpCall call(request_to(server.port(), "localhost"), std::chrono::seconds(10));
    ASSERT_TRUE(wait_for(call));
    EXPECT_EQ(call.answer().status, 302);
    EXPECT_EQ(call.answer().body, "no");
    EXPECT_EQ(call.answer().error, "");
    request = server.request();
  }
  EXPECT_TRUE(request.starts_with("POST /orders?x=1 HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("X-User: ann\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos) << request;
}

TEST(HttpCall, SaysWhyNoAnswerCame) {
  Port port = 0;
  {
    OneAnswer gone("x");
    port = gone.port();
  }
  HttpCall call(request_to(port), std::chrono::seconds(10));
  ASSERT_TRUE(wait_for(call));
  EXPECT_EQ(call.answer().status, 0);
  EXPECT_NE(call.answer().error, "");
}

TEST(HttpCall, EndsSoonWhenItIsGivenUp) {
  OneAnswer silent("");
  const TestClock clock;
  const Duration began = clock.now();
  {
    HttpCall call(request_to(silent.port()), std::chrono::hours(1));
    while (!silent.asked() && clock.now() - began < std::chrono::seconds(10)) {
      ::poll(nullptr, 0, 2);
    }
    EXPECT_FALSE(call.done());
    call.give_up();
    ASSERT_TRUE(wait_for(call));
    EXPECT_EQ(call.answer().error, "given up");
  }
  EXPECT_LT(clock.now() - began, std::chrono::seconds(15));
}

}  // namespace
}  // namespace mishap::client_tests
