#include "client-tests/checks/lives.h"

#include <algorithm>

namespace mishap::client_tests {

Lives::Lives(const Recording& recording, int lane) {
  for (const ProcessFacts& process : recording.processes) {
    if (process.copy == lane) lives_.push_back(&process);
  }
  std::ranges::stable_sort(lives_, {}, [](const ProcessFacts* life) { return life->life; });
}

int Lives::at(Duration instant) const {
  int found = 1;
  for (const ProcessFacts* life : lives_) {
    if (life->started <= instant) found = life->life;
  }
  return found;
}

std::optional<Duration> Lives::ended_by_scenario(Duration sent) const {
  const int number = at(sent);
  const auto life = std::ranges::find(lives_, number, &ProcessFacts::life);
  if (life == lives_.end() || (*life)->stop != Stop::Scripted) return std::nullopt;
  return (*life)->told_to_end;
}

}  // namespace mishap::client_tests
