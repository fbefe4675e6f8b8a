#include "bench/same_work/server.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace same_work {
namespace {

int listen_at(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
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

int end_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

// The kernel knows of a FIN or RST before it is read.
Departure departure_of(int fd) {
  pollfd asked{fd, POLLRDHUP, 0};
  if (::poll(&asked, 1, 0) <= 0) return Departure::None;
  if ((asked.revents & (POLLERR | POLLHUP)) != 0) return Departure::Rst;
  return (asked.revents & POLLRDHUP) != 0 ? Departure::Fin : Departure::None;
}

}  // namespace

Span Server::now() {
  static const auto began = std::chrono::steady_clock::now();
  return std::chrono::steady_clock::now() - began;
}

Server::Server(std::uint16_t port, Log& log, Vendor vendor)
    : log_(log),
      vendor_(std::move(vendor)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      listener_(listen_at(port)),
      signals_(end_signals()) {
  now();  // the clock of the record begins
  watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
  watch(signals_, EPOLLIN, EPOLL_CTL_ADD);
}

Server::~Server() {
  for (auto& [fd, client] : clients_) ::close(fd);
  for (const int fd : {listener_, signals_, epoll_}) ::close(fd);
}

void Server::watch(int fd, std::uint32_t events, int how) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll_, how, fd, &event);
}

void Server::run() {
  std::array<epoll_event, 256> events;
  for (;;) {
    const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const int fd = event.data.fd;
      if (fd == signals_) {
        while (!clients_.empty()) leave(clients_.begin()->first, clients_.begin()->second, {});
        return;
      }
      if (fd == listener_) {
        accept_all();
      } else if ((event.events & EPOLLOUT) != 0U) {
        send_rest(fd, clients_.at(fd));
      } else {
        receive(fd);
      }
    }
  }
}

void Server::accept_all() {
  for (;;) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const int fd = ::accept4(listener_, reinterpret_cast<sockaddr*>(&from), &length,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Client& client = clients_[fd];
    client.record.number = ++last_connection_;
    client.record.client_port = ntohs(from.sin_port);
    client.record.accepted = now();
    watch(fd, EPOLLIN, EPOLL_CTL_ADD);
  }
}

void Server::receive(int fd) {
  Client& client = clients_.at(fd);
  std::array<char, 16384> bytes;
  const ssize_t n = ::recv(fd, bytes.data(), bytes.size(), 0);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) return leave(fd, client, n == 0 ? Departure::Fin : Departure::Rst);
  if (client.unread.empty()) client.came = now();
  client.unread.append(bytes.data(), static_cast<std::size_t>(n));
  serve(fd, client);
}

// As long as whole requests are there and their answers go out at once.
void Server::serve(int fd, Client& client) {
  while (!client.exchange && take_request(client)) {
    send_rest(fd, client);
    if (!clients_.contains(fd)) return;
  }
}

bool Server::take_request(Client& client) {
  read_head(client.unread, limits_, head_);
  if (head_.state == Head::State::NeedMore) return false;
  if (head_.state == Head::State::Refused) {
    refuse(client);
    return true;
  }
  if (client.unread.size() < head_.size + head_.body) return false;
  const std::string_view body = std::string_view(client.unread).substr(head_.size, head_.body);
  Exchange exchange;
  exchange.number = ++last_exchange_;
  exchange.connection = client.record.number;
  exchange.on_connection = ++client.record.exchanges;
  exchange.first_byte = client.came;
  exchange.request_read = now();
  client.keeps_alive = head_.keeps_alive;
  vendor_.handle(head_, body, exchange.request_read, exchange);
  client.unread.erase(0, head_.size + head_.body);
  client.came = exchange.request_read;
  answer(client, std::move(exchange));
  return true;
}

// What is no request: nothing behind it can be read either.
void Server::refuse(Client& client) {
  Exchange exchange;
  exchange.number = ++last_exchange_;
  exchange.connection = client.record.number;
  exchange.on_connection = ++client.record.exchanges;
  exchange.first_byte = client.came;
  exchange.request_read = now();
  exchange.role = "rejected";
  exchange.note = head_.reason;
  exchange.answer.status = head_.status;
  client.keeps_alive = false;
  client.unread.clear();
  answer(client, std::move(exchange));
}

void Server::answer(Client& client, Exchange exchange) {
  std::size_t head_size = 0;
  client.out = bytes_of(exchange.answer, client.keeps_alive, &head_size);
  client.sent = 0;
  exchange.answer.body = {};
  exchange.receipt.head_planned = head_size;
  exchange.receipt.bytes_planned = client.out.size();
  client.exchange = std::move(exchange);
}

void Server::send_rest(int fd, Client& client) {
  Receipt& receipt = client.exchange->receipt;
  receipt.departure = departure_of(fd);
  if (receipt.departure != Departure::None) receipt.departed = now();
  while (client.sent < client.out.size()) {
    const Span at = now();
    const ssize_t n =
        ::send(fd, client.out.data() + client.sent, client.out.size() - client.sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      if (!std::exchange(client.waits_for_room, true)) watch(fd, EPOLLOUT, EPOLL_CTL_MOD);
      return;
    }
    if (n < 0) return leave(fd, client, Departure::Rst);
    receipt.writes.push_back({at, client.sent, static_cast<std::uint64_t>(n)});
    client.sent += static_cast<std::size_t>(n);
  }
  end_exchange(fd, client, client.keeps_alive ? "kept_alive" : "finished");
  if (!client.keeps_alive) return leave(fd, client, Departure::None);
  if (std::exchange(client.waits_for_room, false)) {
    watch(fd, EPOLLIN, EPOLL_CTL_MOD);
    serve(fd, client);
  }
}

void Server::end_exchange(int fd, Client& client, std::string_view ending) {
  Exchange& exchange = *client.exchange;
  Receipt& receipt = exchange.receipt;
  receipt.bytes_written = client.sent;
  receipt.bytes = print_of(std::string_view(client.out).substr(0, client.sent));
  int left = 0;
  if (::ioctl(fd, SIOCOUTQ, &left) == 0) receipt.unacknowledged = static_cast<std::uint64_t>(left);
  receipt.ending = ending;
  receipt.ended = receipt.writes.empty() ? exchange.request_read : receipt.writes.back().at;
  vendor_.ended(exchange);
  log_.add(std::move(exchange));
  client.exchange.reset();
}

void Server::leave(int fd, Client& client, Departure departure) {
  client.record.departure = departure;
  client.record.closed = now();
  client.record.departed = client.record.closed;
  if (client.exchange) {
    client.exchange->receipt.departure = departure;
    client.exchange->receipt.departed = client.record.closed;
    end_exchange(fd, client, "client_left");
  }
  log_.add(std::move(client.record));
  ::close(fd);
  clients_.erase(fd);
}

}  // namespace same_work
