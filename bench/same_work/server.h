#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bench/same_work/record.h"
#include "bench/same_work/request.h"
#include "bench/same_work/vendor.h"

namespace same_work {

// Sockets: one thread, epoll, level-triggered. Runs until SIGTERM or SIGINT.
class Server {
 public:
  Server(std::uint16_t port, Log& log, Vendor vendor);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run();

 private:
  struct Client {
    Connection record;
    std::string unread;
    Span came{};                       // the first byte of what is unread
    std::optional<Exchange> exchange;  // whose answer is on its way
    std::string out;
    std::size_t sent = 0;
    bool keeps_alive = true;
    bool waits_for_room = false;
  };

  static Span now();
  void watch(int fd, std::uint32_t events, int how) const;
  void accept_all();
  void receive(int fd);
  void serve(int fd, Client& client);
  bool take_request(Client& client);
  void refuse(Client& client);
  void answer(Client& client, Exchange exchange);
  void send_rest(int fd, Client& client);
  void end_exchange(int fd, Client& client, std::string_view ending);
  void leave(int fd, Client& client, Departure departure);

  Log& log_;
  Vendor vendor_;
  Limits limits_;
  Head head_;  // used again for each request
  int epoll_ = -1;
  int listener_ = -1;
  int signals_ = -1;
  std::uint64_t last_connection_ = 0;
  std::uint64_t last_exchange_ = 0;
  std::unordered_map<int, Client> clients_;
};

}  // namespace same_work
