#include "client-tests/driver/second_run.h"

#include <algorithm>
#include <map>

namespace mishap::client_tests {
namespace {

// The last word of each operation.
bool says_undone(const LifeResult& life) {
  std::map<std::string, OutcomeKind> last;
  for (const LaunchResult& earlier : life.earlier) {
    for (const OutcomeLine& line : earlier.outcomes) last[line.operation] = line.outcome;
  }
  for (const OutcomeLine& line : life.client.outcomes) last[line.operation] = line.outcome;
  return std::ranges::any_of(last,
                             [](const auto& one) { return one.second != OutcomeKind::Succeeded; });
}

bool left_something(const LifeResult& life) {
  const ProcessFacts& process = life.client.process;
  const bool is_service = process.role == ProcessRole::Service;
  if (process.stop == Stop::Scripted || process.stop == Stop::Signalled) return true;
  if (!is_service && process.exit_code != 0) return true;
  return (life.drive && !succeeded(*life.drive)) || says_undone(life);
}

}  // namespace

std::string why_not_again(const std::vector<LifeResult>& ended) {
  for (const LifeResult& life : ended) {
    const Stop stop = life.client.process.stop;
    if (!life.trouble.empty() || stop == Stop::NotStarted)
      return "the first run did not come about";
    if (stop == Stop::Killed || stop == Stop::Interrupted) {
      return "the first run did not end by itself";
    }
  }
  if (std::ranges::any_of(ended, left_something)) return {};
  return "the first run left nothing undone";
}

std::vector<LifeSpec> next_run(std::vector<LifeSpec> first, const std::vector<LifeResult>& ended,
                               int run) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    LifeSpec& life = first[i];
    life.before.clear();
    if (!life.again.empty()) life.client.command = life.again;
    life.client.run = run;
    life.client.life = ended[i].client.process.life + 1;
  }
  return first;
}

}  // namespace mishap::client_tests
