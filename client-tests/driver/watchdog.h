#pragma once

#include "client-tests/driver/play.h"
#include "client-tests/driver/rest.h"
#include "client-tests/launch/launcher.h"
#include "mishap/run.h"
#include "mishap/server.h"

namespace mishap::client_tests {

// When a run has lasted long enough. Asked twenty times a second; the journal is copied only once a
// second, and only when the answer can be yes. Borrows all but `rest`.
class Watchdog {
 public:
  Watchdog(const server::Run& run, const Patience& patience, const TestOptions& options, Rest rest,
           bool driven, Duration since)
      : run_(run),
        patience_(patience),
        options_(options),
        rest_(std::move(rest)),
        driven_(driven),
        since_(since) {}

  Order order(Duration now, const LifeProgress& progress);

 private:
  bool awaits_first_request(Duration now) const;
  bool is_over(Duration now);

  const server::Run& run_;
  const Patience& patience_;
  const TestOptions& options_;
  Rest rest_;
  bool driven_;
  Duration since_;  // what came before belongs to an earlier run of the client
  bool stopping_ = false;
  Duration began_{};
  Duration next_look_{};
};

}  // namespace mishap::client_tests
