#include "server/wire/io_thread.h"

#include <array>
#include <exception>
#include <thread>
#include <unordered_map>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mishap::server {

namespace asio = boost::asio;

struct IoThread::Impl {
  Impl() : epoll_watch(io, epoll.fd()), work(asio::make_work_guard(io)) {}
  // The set's own descriptor is closed by EpollSet alone.
  ~Impl() { epoll_watch.release(); }

  void await_readiness();
  void dispatch();
  void run();

  EpollSet epoll;
  std::unordered_map<std::uint64_t, Watched*> watched;
  std::uint64_t last_id = 0;
  // After what its last tasks may still touch when it goes.
  asio::io_context io{1};
  asio::posix::stream_descriptor epoll_watch;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::thread thread;
};

void IoThread::Impl::await_readiness() {
  epoll_watch.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                           if (error) return;
                           dispatch();
                           await_readiness();
                         });
}

void IoThread::Impl::dispatch() {
  std::array<Readiness, 256> ready;
  std::size_t count = 0;
  do {
    count = epoll.poll(ready);
    for (std::size_t i = 0; i < count; ++i) {
      // An id is never used twice, so that a late event cannot meet another connection.
      const auto found = watched.find(ready[i].id);
      if (found != watched.end()) found->second->on_ready(ready[i]);
    }
  } while (count == ready.size());
}

void IoThread::Impl::run() {
  block_signals_of_this_thread();
  await_readiness();
  io.run();
}

IoThread::IoThread() : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread(&Impl::run, impl_.get());
}

IoThread::~IoThread() {
  impl_->io.stop();
  impl_->thread.join();
}

IoContext& IoThread::context() {
  return impl_->io;
}

bool IoThread::is_this_thread() const {
  return std::this_thread::get_id() == impl_->thread.get_id();
}

void IoThread::post(std::function<void()> work) {
  asio::post(impl_->io, std::move(work));
}

std::uint64_t IoThread::watch(int fd, Watched& watched) {
  const std::uint64_t id = ++impl_->last_id;
  impl_->watched.emplace(id, &watched);
  impl_->epoll.add(fd, id);
  return id;
}

void IoThread::unwatch(int fd, std::uint64_t id) {
  // Taken out by hand: closing does not do it while a child between fork and exec holds a copy.
  impl_->epoll.remove(fd);
  impl_->watched.erase(id);
}

namespace {

struct TaskEnded {
  std::function<void()> done;
  void operator()(const std::exception_ptr& error) const {
    // A task handles its own exceptions; one that comes this far is a bug and ends the program.
    if (error) std::rethrow_exception(error);
    done();
  }
};

}  // namespace

void IoThread::spawn(Task<void> task, std::function<void()> done) {
  asio::co_spawn(impl_->io, std::move(task), TaskEnded{std::move(done)});
}

Task<void> yield_turn() {
  auto executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, asio::use_awaitable);
}

}  // namespace mishap::server
