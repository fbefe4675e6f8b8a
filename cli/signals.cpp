#include "cli/signals.h"

#include <csignal>

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
  thread_ = std::jthread([this, set](const std::stop_token& stop) {
    int signal = 0;
    while (sigwait(&set, &signal) == 0 && !stop.stop_requested()) interrupted_ = true;
  });
}

// The thread waits for a signal, so it is given one: whoever ends waits for no tick of a clock.
InterruptWatch::~InterruptWatch() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGTERM);
}

}  // namespace mishap::cli
