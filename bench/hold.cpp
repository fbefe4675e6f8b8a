// Opens many connections, asks once on each, and measures how late the answers come: arrivals
// spread over a time, each answer due a delay after its request. Prints one JSON object.
//
// Usage: mishap-bench-hold PORT CONNECTIONS DELAY_MS SPREAD_MS [METHOD TARGET [BODY]]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;
using std::chrono::milliseconds;

// A loopback address has so many ports of its own: beyond them connections come from the next
// address.
constexpr std::size_t kPerAddress = 25'000;
constexpr auto kPatience = std::chrono::seconds(60);

struct Wait {
  int fd = -1;
  Instant asked{};
  bool answered = false;
};

struct Plan {
  std::uint16_t port = 0;
  std::size_t connections = 0;
  milliseconds delay{};
  milliseconds spread{};
  std::string request;
};

int connect_from(std::size_t index, std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The port is chosen when it connects, so that each address has all of them.
  ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + static_cast<std::uint32_t>(index / kPerAddress));
  ::bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
  ::close(fd);
  return -1;
}

class Load {
 public:
  explicit Load(Plan plan) : plan_(std::move(plan)), epoll_(::epoll_create1(0)) {}

  bool connect_all() {
    for (std::size_t i = 0; i < plan_.connections; ++i) {
      const int fd = connect_from(i, plan_.port);
      if (fd < 0) {
        std::perror("connect");
        return false;
      }
      epoll_event event{};
      event.events = EPOLLIN | EPOLLET;
      event.data.u64 = waits_.size();
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
      waits_.push_back({.fd = fd});
    }
    return true;
  }

  void run() {
    const Instant began = Clock::now();
    const Instant last = began + plan_.spread + plan_.delay + kPatience;
    std::size_t asked = 0;
    while (answered_ < waits_.size() && Clock::now() < last) {
      while (asked < waits_.size() && Clock::now() >= due(began, asked)) ask(waits_[asked++]);
      take(asked < waits_.size() ? 0 : 10);
    }
  }

  void print() {
    std::sort(errors_.begin(), errors_.end());
    const auto at = [&](double share) {
      if (errors_.empty()) return 0.0;
      const auto last = static_cast<double>(errors_.size() - 1);
      return errors_[static_cast<std::size_t>(share * last)];
    };
    const auto early =
        std::count_if(errors_.begin(), errors_.end(), [](double error) { return error < 0; });
    fmt::print(
        "{{\"connections\": {}, \"answered\": {}, \"early\": {}, \"error_ms\": {{\"p50\": {:.3f}, "
        "\"p99\": {:.3f}, "
        "\"max\": {:.3f}}}}}\n",
        waits_.size(), answered_, early, at(0.5), at(0.99), at(1.0));
  }

 private:
  Instant due(Instant began, std::size_t index) const {
    const auto share = static_cast<double>(index) / static_cast<double>(waits_.size());
    return began + std::chrono::duration_cast<Clock::duration>(plan_.spread * share);
  }

  void ask(Wait& wait) const {
    wait.asked = Clock::now();
    if (::send(wait.fd, plan_.request.data(), plan_.request.size(), MSG_NOSIGNAL) < 0)
      std::perror("send");
  }

  void take(int patience_ms) {
    std::array<epoll_event, 512> events;
    const int count = ::epoll_wait(epoll_, events.data(), events.size(), patience_ms);
    const Instant now = Clock::now();
    for (int i = 0; i < count; ++i) {
      Wait& wait = waits_[events[static_cast<std::size_t>(i)].data.u64];
      std::array<char, 4096> bytes;
      const ssize_t n = ::recv(wait.fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (n <= 0 || wait.answered || wait.asked == Instant{}) continue;
      wait.answered = true;
      ++answered_;
      errors_.push_back(
          std::chrono::duration<double, std::milli>(now - wait.asked - plan_.delay).count());
    }
  }

  Plan plan_;
  int epoll_;
  std::vector<Wait> waits_;
  std::vector<double> errors_;
  std::size_t answered_ = 0;
};

void allow_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs(
        "usage: mishap-bench-hold PORT CONNECTIONS DELAY_MS SPREAD_MS [METHOD TARGET [BODY]]\n",
        stderr);
    return 2;
  }
  allow_descriptors();
  Plan plan;
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  plan.connections = static_cast<std::size_t>(std::atol(argv[2]));
  plan.delay = milliseconds(std::atol(argv[3]));
  plan.spread = milliseconds(std::atol(argv[4]));
  const std::string method = argc > 5 ? argv[5] : "GET";
  const std::string target = argc > 6 ? argv[6] : "/";
  const std::string body = argc > 7 ? argv[7] : "";
  plan.request = fmt::format("{} {} HTTP/1.1\r\nHost: bench\r\n", method, target);
  if (!body.empty()) {
    plan.request +=
        fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  }
  plan.request += "\r\n" + body;
  Load load(std::move(plan));
  if (!load.connect_all()) return 1;
  load.run();
  load.print();
  return 0;
}
