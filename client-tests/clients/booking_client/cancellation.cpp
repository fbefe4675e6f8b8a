#include "client-tests/clients/booking_client/cancellation.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>

namespace booking {
namespace {

std::atomic<bool> cancelled{false};
int bell[2] = {-1, -1};  // readable for good once the signal has come

extern "C" void note_cancellation(int /*signal*/) {
  cancelled = true;
  const char ring = 0;
  [[maybe_unused]] const auto ignored = write(bell[1], &ring, 1);
}

}  // namespace

void listen_for_cancellation() {
  if (pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action {};
  action.sa_handler = note_cancellation;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool is_cancelled() {
  return cancelled;
}

bool wait_unless_cancelled(milliseconds length) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + length;
  while (!cancelled) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    if (left <= milliseconds(0)) return true;
    pollfd watched{bell[0], POLLIN, 0};
    poll(&watched, bell[0] < 0 ? 0 : 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
  }
  return false;
}

}  // namespace booking
