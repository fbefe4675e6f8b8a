#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "server/wire/os_linux.h"
#include "server/wire/task.h"

namespace mishap::server {

// Somebody who wants to know when a descriptor becomes ready. Told on the I/O thread.
class Watched {
 public:
  virtual void on_ready(const Readiness& readiness) = 0;

 protected:
  ~Watched() = default;
};

// One thread, one io_context, one epoll set: everything on the wire happens here, in one exact
// order. Joined by the destructor, which must not run on the thread itself.
class IoThread {
 public:
  IoThread();
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  IoContext& context();
  bool is_this_thread() const;
  // From any thread.
  void post(std::function<void()> work);

  // The rest is for the I/O thread. `watched` is borrowed until unwatch().
  std::uint64_t watch(int fd, Watched& watched);
  void unwatch(int fd, std::uint64_t id);
  // Runs `task`; `done` is called when it has ended. A task lets no exception out.
  void spawn(Task<void> task, std::function<void()> done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Lets everybody else have a turn.
Task<void> yield_turn();

}  // namespace mishap::server
