#include "client-tests/launch/signal_post.h"

#include <sys/eventfd.h>

#include <utility>

namespace mishap::client_tests {

SignalPost::SignalPost(Report report)
    : report_(std::move(report)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void SignalPost::send(const server::SignalOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(order);
  }
  if (bell_) ::eventfd_write(bell_.get(), 1);
}

void SignalPost::add_events(std::vector<pollfd>& events) const {
  if (bell_) events.push_back({bell_.get(), POLLIN, 0});
}

std::vector<server::SignalOrder> SignalPost::take() {
  eventfd_t ignored = 0;
  if (bell_) ::eventfd_read(bell_.get(), &ignored);
  const std::lock_guard lock(mutex_);
  return std::exchange(orders_, {});
}

}  // namespace mishap::client_tests
