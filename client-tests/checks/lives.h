#pragma once

#include <optional>
#include <vector>

#include "mishap/recording.h"

// The lives of one copy of the client: a scenario may have it killed and started again.
namespace mishap::client_tests {

class Lives {
 public:
  Lives(const Recording& recording, int lane);

  // Which of them, from 1, was there at that instant, or was the last before it.
  int at(Duration instant) const;
  // When the scenario began to end the life that sent something then; nothing: it did not.
  std::optional<Duration> ended_by_scenario(Duration sent) const;
  // It ended one of them, and another followed.
  bool any_followed() const { return lives_.size() > 1; }
  const std::vector<const ProcessFacts*>& all() const { return lives_; }

 private:
  std::vector<const ProcessFacts*> lives_;  // in order; empty: not our child
};

}  // namespace mishap::client_tests
