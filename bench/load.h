#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// What the loads of this folder share: many connections to a server on loopback, asked and read in
// one thread.
namespace mishap::bench {

using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;

inline double ms_between(Instant from, Instant to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string request_text(const std::string& method, const std::string& target,
                         const std::string& body);

// As many files as this process may open.
void allow_descriptors();

// Open connections, by number from 0. From the 25 000th on they come from further addresses of
// loopback, since each has so many ports of its own.
class Crowd {
 public:
  // Of bytes that came, or of the end of the connection where there are none.
  using Taken = std::function<void(std::size_t number, std::string_view bytes, Instant now)>;

  explicit Crowd(std::uint16_t port);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // False, and it says why on stderr, where one cannot be opened.
  bool open(std::size_t connections);
  std::size_t size() const { return files_.size(); }

  // All of it, as soon as the kernel takes it; false where the connection is gone.
  bool send(std::size_t number, std::string_view bytes) const;
  // What has come within that time, for whichever connections.
  void take(std::chrono::milliseconds patience, const Taken& taken);

 private:
  bool add();

  std::uint16_t port_;
  int epoll_;
  std::vector<int> files_;
  std::vector<char> buffer_;
};

// Sorts; the value below which that share of them lies, 0 where there are none.
double share_of(std::vector<double>& values, double share);

}  // namespace mishap::bench
