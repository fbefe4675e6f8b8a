// The yardstick of bench/run: the least that a server must do which does the real work of a mock.
// One thread, epoll, no library but for JSON: it reads the head and the body, matches a route,
// keeps a record of each exchange and answers with what was made. No fault, no identity, no
// receipt.
//
// Usage: mishap-bench-raw PORT
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

using Instant = std::chrono::steady_clock::time_point;

struct Record {
  std::uint64_t connection = 0;
  Instant came{};
  Instant answered{};
  std::string method;
  std::string target;
  std::string headers;
  std::size_t body_hash = 0;
  std::string id;
  std::size_t bytes_written = 0;
};

struct Connection {
  std::uint64_t number = 0;
  std::string unread;
};

struct Head {
  std::string_view method;
  std::string_view target;
  std::string_view fields;
  std::size_t body = 0;  // where it begins
  std::size_t length = 0;
};

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::size_t content_length(std::string_view fields) {
  while (!fields.empty()) {
    const std::size_t end = fields.find("\r\n");
    const std::string_view line = fields.substr(0, end);
    fields.remove_prefix(end == std::string_view::npos ? fields.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (!equal_without_case(line.substr(0, colon), "content-length")) continue;
    const std::string_view value = line.substr(line.find_first_not_of(' ', colon + 1));
    std::size_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
  }
  return 0;
}

// Nothing while it is not whole.
std::optional<Head> read_head(std::string_view bytes) {
  const std::size_t blank = bytes.find("\r\n\r\n");
  if (blank == std::string_view::npos) return std::nullopt;
  const std::size_t line = bytes.find("\r\n");
  const std::size_t first = bytes.find(' ');
  const std::size_t second = bytes.find(' ', first + 1);
  Head head;
  head.method = bytes.substr(0, first);
  head.target = bytes.substr(first + 1, second - first - 1);
  head.fields = line == blank ? std::string_view() : bytes.substr(line + 2, blank - line - 2);
  head.body = blank + 4;
  head.length = content_length(head.fields);
  if (bytes.size() < head.body + head.length) return std::nullopt;
  return head;
}

class Server {
 public:
  explicit Server(std::uint16_t port) : epoll_(::epoll_create1(0)), listener_(listen_at(port)) {
    watch(listener_);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        fd == listener_ ? accept_all() : serve(fd);
      }
    }
  }

 private:
  static int listen_at(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd, SOMAXCONN) != 0) {
      std::perror("listen");
      std::exit(4);
    }
    return fd;
  }

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_[fd].number = ++last_connection_;
      watch(fd);
    }
  }

  void serve(int fd) {
    Connection& connection = connections_[fd];
    std::array<char, 16384> bytes;
    const ssize_t n = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (n <= 0) {
      if (n < 0 && errno == EAGAIN) return;
      ::close(fd);
      connections_.erase(fd);
      return;
    }
    const Instant came = std::chrono::steady_clock::now();
    connection.unread.append(bytes.data(), static_cast<std::size_t>(n));
    std::size_t done = 0;
    while (const auto head = read_head(std::string_view(connection.unread).substr(done))) {
      answer(fd, connection, *head,
             std::string_view(connection.unread).substr(done + head->body, head->length), came);
      done += head->body + head->length;
    }
    connection.unread.erase(0, done);
  }

  void answer(int fd, const Connection& connection, const Head& head, std::string_view body,
              Instant came) {
    Record& record = records_.emplace_back();
    record.connection = connection.number;
    record.came = came;
    record.method = head.method;
    record.target = head.target;
    record.headers = head.fields;
    record.body_hash = std::hash<std::string_view>{}(body);
    std::string text = "{}";
    int status = 404;
    auto json = nlohmann::json::parse(body, nullptr, false);
    if (head.method == "POST" && head.target == "/v1/bookings" && json.is_object()) {
      record.id = fmt::format("bk_{}", records_.size());
      json["id"] = record.id;
      text = json.dump();
      status = 201;
    }
    const std::string out = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
        status == 201 ? "Created" : "Not Found", text.size(), text);
    const ssize_t sent = ::send(fd, out.data(), out.size(), MSG_NOSIGNAL);
    record.bytes_written = sent > 0 ? static_cast<std::size_t>(sent) : 0;
    record.answered = std::chrono::steady_clock::now();
  }

  int epoll_;
  int listener_;
  std::uint64_t last_connection_ = 0;
  std::unordered_map<int, Connection> connections_;
  std::deque<Record> records_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: mishap-bench-raw PORT\n", stderr);
    return 2;
  }
  Server(static_cast<std::uint16_t>(std::atoi(argv[1]))).run();
}
