#include "cli/signals.h"

#include <csignal>
#include <ctime>

namespace mishap::cli {
namespace {

sigset_t endings() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  // The terminal was closed; under nohup that is no reason to end.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  const auto set = endings();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A reader of our output that goes away is an error of write(), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::jthread([this, set](std::stop_token stop) {
    const timespec tick{0, 100'000'000};
    while (!stop.stop_requested()) {
      if (sigtimedwait(&set, nullptr, &tick) < 0) continue;
      interrupted_ = true;
    }
  });
}

InterruptWatch::~InterruptWatch() = default;

}  // namespace mishap::cli
