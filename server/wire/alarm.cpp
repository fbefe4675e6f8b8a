#include "server/wire/alarm.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mishap::server {

struct Alarm::Timer {
  explicit Timer(IoContext& io) : timer(io) {}
  boost::asio::steady_timer timer;
};

Alarm::Alarm(IoContext& io, RunClock clock) : clock_(clock), timer_(std::make_unique<Timer>(io)) {}

Alarm::~Alarm() = default;

Task<void> Alarm::sleep_until(std::optional<Duration> instant) {
  auto& timer = timer_->timer;
  if (instant) {
    timer.expires_after(std::max(*instant - clock_.now(), Duration::zero()));
  } else {
    timer.expires_at(boost::asio::steady_timer::time_point::max());
  }
  co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

void Alarm::wake() {
  timer_->timer.cancel();
}

}  // namespace mishap::server
