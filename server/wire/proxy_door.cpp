#include "server/wire/proxy_door.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>

#include "server/wire/head_rules.h"
#include "server/wire/request_reader.h"

namespace mishap::server {
namespace {

constexpr std::string_view kEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";
constexpr std::size_t kRoom = 4 * 1024;

std::string refusal(StatusCode status, std::string_view phrase, const std::string& reason) {
  const std::string body = reason + "\n";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, phrase, body.size(), body);
}

struct FirstHead {
  Io what = Io::Done;
  std::string bytes;       // all that came
  std::size_t length = 0;  // of the head
  std::string method;
  std::string target;
  std::string wrong;  // why it is none
};

// The reader that all requests go through judges it; the bytes are kept beside it.
Task<FirstHead> read_first_head(ClientSocket& connection, const Patience& patience,
                                RunClock clock) {
  FirstHead first;
  RequestReader reader{scenarios::Limits{}};
  std::array<char, kRoom> room;
  std::optional<Duration> deadline;
  for (;;) {
    const RequestReader::Progress progress = reader.parse_head();
    if (progress == RequestReader::Progress::Rejected) first.wrong = reader.rejection().reason;
    if (progress != RequestReader::Progress::NeedMore) break;
    const Transfer got = co_await connection.read(room, deadline);
    first.what = got.what;
    if (got.what != Io::Done) co_return first;
    first.bytes.append(room.data(), got.bytes);
    std::copy_n(room.data(), got.bytes, reader.room().data());
    reader.commit(got.bytes, got.at);
    deadline = clock.now() + patience.mid_request;
  }
  if (!first.wrong.empty()) co_return first;
  // Empty lines in front of it are none of its own (RFC 9112 section 2.2).
  while (first.bytes.starts_with("\r\n")) first.bytes.erase(0, 2);
  first.length = end_of_head(first.bytes, 0).value_or(first.bytes.size());
  first.method = reader.head().method;
  first.target = reader.head().target;
  co_return first;
}

Task<void> say(ClientSocket& connection, std::string text, Duration deadline) {
  std::string_view left = text;
  while (!left.empty()) {
    const Transfer put = co_await connection.write(left, deadline);
    if (put.what != Io::Done) co_return;
    left.remove_prefix(put.bytes);
  }
}

Task<Entrance> turn_away(ClientSocket& connection, std::string text, std::string asked_for,
                         Duration deadline) {
  co_await say(connection, std::move(text), deadline);
  connection.send_fin();
  co_return Entrance{nullptr, std::move(asked_for), false};
}

}  // namespace

Task<Entrance> enter_proxy(ClientSocket& connection, const ProxyTable& table,
                           const Patience& patience, RunClock clock) {
  FirstHead first = co_await read_first_head(connection, patience, clock);
  if (first.what != Io::Done) co_return Entrance{};
  const Duration deadline = clock.now() + patience.blocked_write;
  const auto request = read_proxy_request(first.method, first.target);
  if (!request) {
    const std::string reason =
        first.wrong.empty() ? "this is a proxy: it takes CONNECT host:port and http:// targets"
                            : first.wrong;
    Entrance away =
        co_await turn_away(connection, refusal(400, "Bad Request", reason), {}, deadline);
    co_return away;
  }
  std::string asked_for = to_string(request->wanted);
  const ProxyRoute* route = table.find(request->wanted);
  if (route == nullptr) {
    const std::string reason = fmt::format(
        "nothing stands in for {} here, and this proxy goes nowhere else; it intercepts {}",
        asked_for, table.hosts());
    Entrance away = co_await turn_away(connection, refusal(403, "Forbidden", reason),
                                       std::move(asked_for), deadline);
    co_return away;
  }
  if (request->is_tunnel) {
    connection.put_back(first.bytes.substr(first.length));
    co_await say(connection, std::string(kEstablished), deadline);
  } else {
    connection.put_back(std::move(first.bytes));
  }
  co_return Entrance{route, std::move(asked_for), request->is_tunnel};
}

}  // namespace mishap::server
