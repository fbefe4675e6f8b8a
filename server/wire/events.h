#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace mishap::server {

// What steps wait for and the engine tells. An event happens once and stays so. I/O thread only.
class Events {
 public:
  bool has_happened(std::uint64_t event) const { return happened_.contains(event); }
  // Tells all who wait, in the order in which they began to.
  void happen(std::uint64_t event);

  // Somebody who waits, as long as it lives. `wake` must not end it.
  class Waiting {
   public:
    Waiting(Events& events, std::uint64_t event, std::function<void()> wake);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Events& events_;
    std::uint64_t place_;
  };

 private:
  struct Waiter {
    std::uint64_t event = 0;
    std::function<void()> wake;
  };
  std::set<std::uint64_t> happened_;
  std::map<std::uint64_t, Waiter> waiters_;  // by place in the queue
  std::uint64_t last_place_ = 0;
};

}  // namespace mishap::server
