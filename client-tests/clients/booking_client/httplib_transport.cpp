// What cpp-httplib 0.11 does and does not do, from its source, since this file leans on it:
// - It never resends a request by itself. It does look at a kept-alive connection before it writes
//   and opens a new one if the old one has ended; nothing has been sent at that point.
// - Its read timeout starts anew with every read, so a dribbling answer never ends: hence the
//   watchdog. stop() from another thread shuts the socket down (the server sees a FIN at once) and
//   closes it when the exchange returns; an answer delimited by the end of the connection then
//   looks complete, so what the watchdog has cut never counts as answered.
// - Bytes left over on a kept-alive connection are read as the start of the next answer.
// - A Content-Length that is no number counts as 0, of several the first counts, and a broken chunk
//   end passes as the end of the body. Framing is therefore checked here, and a connection that
//   carried chunks is not used again.
// - 102 and 103 are taken for final answers; here they are malformed.
#include "client-tests/clients/booking_client/httplib_transport.h"

#include <httplib.h>
#include <poll.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "client-tests/clients/booking_client/watchdog.h"

namespace booking {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostBodyBytes = 1024 * 1024;
// The library's timeouts only back the watchdog up.
constexpr milliseconds kBackup{500};
// Longer than any system tries to connect.
constexpr std::chrono::hours kPatience{1};

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// It goes into our log, so nothing of it may be more than a word.
std::string plain_id(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  const bool is_plain =
      text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
      });
  return is_plain ? text : "";
}

std::vector<std::string> fields(const httplib::Response& response, const std::string& name) {
  std::vector<std::string> values;
  const auto [first, last] = response.headers.equal_range(name);
  for (auto it = first; it != last; ++it) values.push_back(it->second);
  return values;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// RFC 9112 6.3: one way to tell where the body ends, and only one.
bool is_well_framed(const httplib::Response& response) {
  const std::vector<std::string> lengths = fields(response, "Content-Length");
  const std::vector<std::string> codings = fields(response, "Transfer-Encoding");
  if (!codings.empty()) {
    return lengths.empty() && codings.size() == 1 &&
           equals_ignoring_case(codings.front(), "chunked");
  }
  return std::all_of(lengths.begin(), lengths.end(), [&](const std::string& length) {
    return is_number(length) && length == lengths.front();
  });
}

bool is_plain(const httplib::Response& response) {
  const std::vector<std::string> encodings = fields(response, "Content-Encoding");
  return std::all_of(encodings.begin(), encodings.end(), [](const std::string& encoding) {
    return equals_ignoring_case(encoding, "identity");
  });
}

bool may_be_reused(const httplib::Response& response) {
  if (response.version != "HTTP/1.1" || response.has_header("Transfer-Encoding")) return false;
  for (const std::string& field : fields(response, "Connection")) {
    if (!equals_ignoring_case(field, "keep-alive")) return false;
  }
  return response.has_header("Content-Length") || response.status == 204;
}

// Collects one answer while the library reads it.
class Collector {
 public:
  explicit Collector(Body body) : is_bounded_(body == Body::Bounded) {}

  bool head(const httplib::Response& response) {
    take_head(response);
    malformed_ = response.status < 200 || !is_well_framed(response) || !is_plain(response);
    return !malformed_;
  }

  bool body(const char* data, std::size_t size) {
    malformed_ = is_bounded_ && answer_.body.size() + size > kMostBodyBytes;
    if (!malformed_) answer_.body.append(data, size);
    return !malformed_;
  }

  // The library shows heads without a body (204) only at the end.
  void complete(const httplib::Response& response) {
    if (answer_.status == 0) take_head(response);
    reusable_ = may_be_reused(response);
  }

  bool reusable() const { return reusable_; }

  Answer finish(httplib::Error error, bool timed_out) {
    answer_.ending = ending(error);
    const bool was_sent =
        answer_.ending != Ending::NotConnected && answer_.ending != Ending::NotTrusted;
    if (timed_out && was_sent) answer_.ending = Ending::TimedOut;
    return std::move(answer_);
  }

 private:
  void take_head(const httplib::Response& response) {
    answer_.status = response.status;
    answer_.content_type = response.get_header_value("Content-Type");
    answer_.retry_after = fields(response, "Retry-After");
    answer_.request_id = plain_id(response.get_header_value("X-Request-Id"));
    answer_.rate_limit = fields(response, "RateLimit");
    answer_.location = response.get_header_value("Location");
  }

  Ending ending(httplib::Error error) const {
    if (malformed_) return Ending::Malformed;
    switch (error) {
      case httplib::Error::Success:
        return Ending::Answered;
      case httplib::Error::Connection:
      case httplib::Error::ConnectionTimeout:
      case httplib::Error::BindIPAddress:
      case httplib::Error::SSLConnection:
        return Ending::NotConnected;
      case httplib::Error::SSLLoadingCerts:
      case httplib::Error::SSLServerVerification:
        return Ending::NotTrusted;
      default:
        return answer_.status == 0 ? Ending::Lost : Ending::CutShort;
    }
  }

  Answer answer_;
  bool is_bounded_;
  bool malformed_ = false;
  bool reusable_ = false;
};

httplib::Request to_library(const Request& request, Collector& collector) {
  httplib::Request out;
  out.method = request.method;
  out.path = request.target;
  for (const auto& [name, value] : request.headers) out.set_header(name, value);
  out.body = request.body;
  out.response_handler = [&](const httplib::Response& response) {
    return collector.head(response);
  };
  out.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    return collector.body(data, size);
  };
  return out;
}

class HttplibTransport : public Transport {
 public:
  HttplibTransport(const std::string& origin, ReadTimeout read_timeout, Trust trust, Body body,
                   Connecting connecting)
      : client_(origin),
        read_timeout_(read_timeout),
        body_(body),
        connecting_(connecting),
        watchdog_([this] { client_.stop(); }) {
    client_.set_keep_alive(true);
    client_.set_tcp_nodelay(true);  // head and body are two writes
    client_.set_follow_location(false);
    client_.set_decompress(false);
    client_.set_url_encode(false);  // targets come encoded
    // Whom to trust over https; without it the system's authorities.
    const char* authority = std::getenv("MISHAP_CA");
    if (authority != nullptr) client_.set_ca_cert_path(authority);
    client_.enable_server_certificate_verification(trust == Trust::Verified);
  }

  Answer exchange(const Request& request, milliseconds limit) override {
    if (!connection_is_quiet()) client_.stop();
    set_timeouts(limit);
    Collector collector(body_);
    const httplib::Request out = to_library(request, collector);
    const steady_clock::time_point end = steady_clock::now() + limit;
    if (read_timeout_ == ReadTimeout::Watched) watchdog_.arm(end);
    const httplib::Result result = client_.send(out);
    const bool cut = watchdog_.disarm();
    if (result) collector.complete(*result);
    const bool timed_out = cut || (!result && steady_clock::now() >= end);
    if (!result || timed_out || !collector.reusable()) client_.stop();
    return collector.finish(result.error(), timed_out);
  }

  void drop_connection() override { client_.stop(); }

 private:
  // Between two exchanges the server has nothing to say: anything readable is the end of the
  // connection or an answer that nobody asked for.
  bool connection_is_quiet() {
    if (client_.is_socket_open() == 0) return true;
    pollfd connection{client_.socket(), POLLIN, 0};
    return poll(&connection, 1, 0) == 0;
  }

  void set_timeouts(milliseconds limit) {
    const milliseconds per_read = read_timeout_ == ReadTimeout::Watched ? limit + kBackup : limit;
    if (connecting_ == Connecting::Bounded) {
      client_.set_connection_timeout(limit);
    } else {
      client_.set_connection_timeout(kPatience);
    }
    client_.set_read_timeout(per_read);
    client_.set_write_timeout(per_read);
  }

  httplib::Client client_;
  ReadTimeout read_timeout_;
  Body body_;
  Connecting connecting_;
  Watchdog watchdog_;
};

}  // namespace

std::unique_ptr<Transport> make_httplib_transport(const std::string& origin,
                                                  ReadTimeout read_timeout, Trust trust, Body body,
                                                  Connecting connecting) {
  return std::make_unique<HttplibTransport>(origin, read_timeout, trust, body, connecting);
}

}  // namespace booking
