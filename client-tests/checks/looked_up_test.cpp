// What is looked up is what a plain walk through everything finds: the definitions as they read,
// asked of random recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/later_creations.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/own_delay.h"
#include "client-tests/checks/random_recording_testing.h"
#include "client-tests/checks/retry_after.h"

namespace mishap::client_tests {
namespace {

using server::Effect;
using server::EffectKind;
using server::Exchange;

constexpr std::uint64_t kSeeds = 300;

// A run and its control, each of its own seed.
struct Drawn {
  explicit Drawn(std::uint64_t seed)
      : run(RandomRecording(seed).make(10 + seed % 60)),
        usual(RandomRecording(seed + 1'000'000).make(5 + seed % 40)),
        history(make_history(run)),
        usual_history(make_history(usual)),
        with_control{.recording = run,
                     .history = history,
                     .control = &usual,
                     .control_history = &usual_history,
                     .comparison = &usual,
                     .comparison_history = &usual_history,
                     .bounds = {}},
        alone{.recording = run, .history = history, .bounds = {}} {}
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;

  Recording run;
  Recording usual;
  History history;
  History usual_history;
  Case with_control;
  Case alone;
};

const std::string& content_of(const Operation& operation) {
  return operation.attempts.front().exchange->request.content_hash;
}

bool is_same_call(const Operation& a, const Operation& b) {
  return a.method == b.method && a.path == b.path;
}

std::uint64_t times_sent(const Recording& recording, const Effect& created) {
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (exchange.number != created.exchange) continue;
    if (exchange.items.empty()) return exchange.identity.operation == created.operation ? 1 : 0;
    return static_cast<std::uint64_t>(std::ranges::count_if(exchange.items, [&](const auto& item) {
      return item.identity.operation == created.operation;
    }));
  }
  return 1;
}

bool is_made_by_the_vendor(const Recording& recording, const Effect& created) {
  const auto before = std::ranges::count_if(recording.journal.effects, [&](const Effect& effect) {
    return effect.kind == EffectKind::Created && effect.exchange == created.exchange &&
           effect.operation == created.operation && effect.number < created.number &&
           effect.resource == created.resource;
  });
  return before > 0 && static_cast<std::uint64_t>(before) >= times_sent(recording, created);
}

bool is_deleted(const Recording& recording, const Effect& created) {
  return std::ranges::any_of(recording.journal.effects, [&](const Effect& effect) {
    return effect.kind == EffectKind::Deleted && effect.number > created.number &&
           effect.lane == created.lane && effect.resource == created.resource &&
           effect.id == created.id;
  });
}

bool is_own_creation(const Recording& recording, const Effect& effect) {
  return effect.kind == EffectKind::Created && !is_made_by_the_vendor(recording, effect);
}

TEST(LookedUp, WhatIsStillThereOfAnOperation) {
  std::size_t doubled = 0;
  std::size_t deleted = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Operation& operation : drawn.history.operations) {
      std::vector<const Effect*> expected;
      for (const Effect* effect : operation.effects) {
        const bool is_own = is_own_creation(drawn.run, *effect);
        if (is_own && !is_deleted(drawn.run, *effect)) expected.push_back(effect);
        doubled += effect->kind == EffectKind::Created && !is_own ? 1 : 0;
        deleted += is_own && is_deleted(drawn.run, *effect) ? 1 : 0;
      }
      ASSERT_EQ(standing_creations(drawn.history, operation), expected) << "seed " << seed;
    }
  }
  EXPECT_GT(doubled, 100U);  // else the seeds prove nothing
  EXPECT_GT(deleted, 100U);
}

std::string unquoted(const std::string& key) {
  const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return quoted ? key.substr(1, key.size() - 2) : key;
}

// Whom a line names: by reference, else by key.
std::vector<const Operation*> owners_of(const History& history, const OutcomeLine& line) {
  std::vector<const Operation*> owners;
  const std::string name = unquoted(line.operation);
  for (const Operation& operation : history.operations) {
    const std::string& reference = operation.reference;
    if (operation.lane != line.copy || reference.empty()) continue;
    if (reference == line.operation || reference == name) owners.push_back(&operation);
  }
  if (!owners.empty()) return owners;
  for (const Operation& operation : history.operations) {
    if (operation.lane != line.copy) continue;
    if (std::ranges::find(operation.keys, name) != operation.keys.end()) {
      owners.push_back(&operation);
    }
  }
  return owners;
}

bool was_said_in_the_end(const Recording& recording, const OutcomeLine& line) {
  return std::ranges::any_of(recording.processes, [&](const ProcessFacts& process) {
    return process.stop == Stop::Killed && process.copy == line.copy && process.told_to_end &&
           line.at >= *process.told_to_end;
  });
}

TEST(LookedUp, WhomAnOutcomeLineIsAbout) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    std::map<const Operation*, std::vector<const OutcomeLine*>> expected;
    std::vector<const OutcomeLine*> orphans;
    for (const OutcomeLine& line : drawn.run.outcomes) {
      if (was_said_in_the_end(drawn.run, line)) continue;
      const auto owners = owners_of(drawn.history, line);
      for (const Operation* owner : owners) expected[owner].push_back(&line);
      if (owners.empty()) orphans.push_back(&line);
      found += owners.size();
    }
    for (const Operation& operation : drawn.history.operations) {
      ASSERT_EQ(operation.outcomes, expected[&operation]) << "seed " << seed;
    }
    ASSERT_EQ(drawn.history.orphan_outcomes, orphans) << "seed " << seed;
  }
  EXPECT_GT(found, 1000U);
}

TEST(LookedUp, WhenTheClientMovedOn) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Operation& operation : drawn.history.operations) {
      std::optional<Duration> expected;
      const Duration last = last_activity_of(operation);
      for (const Exchange& exchange : drawn.run.journal.exchanges) {
        if (exchange.lane != operation.lane || exchange.first_byte <= last) continue;
        if (exchange.identity.operation == operation.number) continue;
        expected = exchange.first_byte;
        break;
      }
      ASSERT_EQ(moved_on_at(drawn.alone, operation), expected) << "seed " << seed;
    }
  }
}

TEST(LookedUp, WhatComesNextOnAConnection) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Exchange& before : drawn.run.journal.exchanges) {
      const Duration after = before.first_byte + std::chrono::milliseconds(seed % 40);
      const auto& until = before.receipt.last_write;
      const Exchange* expected = nullptr;
      for (const Exchange& next : drawn.run.journal.exchanges) {
        if (next.connection != before.connection || next.number <= before.number) continue;
        if (next.first_byte <= after || (until && next.first_byte >= *until)) continue;
        expected = &next;
        break;
      }
      found += expected != nullptr ? 1 : 0;
      ASSERT_EQ(
          connection_line(drawn.history, before.connection).next_between(before, after, until),
          expected)
          << "seed " << seed;
    }
  }
  EXPECT_GT(found, 1000U);
}

std::uint64_t times_said(const Recording& recording, int lane, const std::string& content) {
  std::uint64_t times = 0;
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (exchange.lane != lane) continue;
    for (const auto& item : exchange.items) times += item.content_hash == content ? 1 : 0;
    times += exchange.items.empty() && exchange.request.content_hash == content ? 1 : 0;
  }
  return times;
}

std::uint64_t usual_times(const Drawn& drawn, const Operation& operation) {
  const bool by_content = operation.by == server::IdentifiedBy::Content ||
                          (operation.by == server::IdentifiedBy::Key && operation.keys.size() > 1);
  if (!by_content || content_of(operation).empty()) return 0;
  return times_said(drawn.usual, operation.lane, content_of(operation));
}

std::uint64_t usual_redeliveries(const Drawn& drawn, const Operation& operation) {
  std::uint64_t most = 0;
  if (operation.keys.size() != 1) return most;
  for (const Operation& other : drawn.usual_history.operations) {
    if (!is_same_call(other, operation) || other.keys.empty()) continue;
    most = std::max(most, other.policy_attempts - 1);
  }
  return most;
}

TEST(LookedUp, HowOftenTheControlDidTheSame) {
  std::size_t hidden = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Operation& operation : drawn.history.operations) {
      const auto usual = usual_times(drawn, operation);
      const auto expected = usual > 1 ? usual - 1 : usual_redeliveries(drawn, operation);
      hidden += expected > 0 ? 1 : 0;
      ASSERT_EQ(hidden_calls(drawn.with_control, operation), expected) << "seed " << seed;
      ASSERT_EQ(repeats_by_habit(drawn.with_control, operation),
                usual > 1 && times_said(drawn.run, operation.lane, content_of(operation)) <= usual);
      ASSERT_EQ(equal_calls(drawn.with_control, operation), std::max<std::uint64_t>(1, usual));
    }
  }
  EXPECT_GT(hidden, 1000U);
}

std::size_t operations_like(const History& history, const Operation& operation, int lane) {
  return static_cast<std::size_t>(std::ranges::count_if(history.operations, [&](const auto& other) {
    return is_same_call(other, operation) && other.lane == lane;
  }));
}

std::size_t effects_like(const History& history, const Operation& operation, int lane) {
  std::size_t effects = 0;
  for (const Operation& other : history.operations) {
    if (is_same_call(other, operation) && other.lane == lane) effects += other.effects.size();
  }
  return effects;
}

bool has_line_like(const History& history, const Operation& operation) {
  return std::ranges::any_of(history.operations, [&](const Operation& other) {
    return is_same_call(other, operation) && !other.outcomes.empty();
  });
}

TEST(LookedUp, WhatCallsOfOneKindComeTo) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Operation& operation : drawn.history.operations) {
      const int lane = operation.lane;
      const Duration end = operation.attempts.back().exchange->first_byte;
      const bool again = std::ranges::any_of(drawn.history.operations, [&](const auto& other) {
        return other.lane == lane && is_same_call(other, operation) &&
               other.attempts.front().exchange->first_byte > end;
      });
      ASSERT_EQ(may_have_retried_apart(drawn.with_control, operation),
                operation.by != server::IdentifiedBy::Reference && again &&
                    operations_like(drawn.history, operation, lane) >
                        operations_like(drawn.usual_history, operation, lane))
          << "seed " << seed;
      const auto usual = effects_like(drawn.usual_history, operation, 0);
      ASSERT_EQ(as_much_as_usual(drawn.with_control, operation),
                usual > 0 && effects_like(drawn.history, operation, lane) >= usual);
      ASSERT_EQ(call_table(drawn.history).like(operation).has_line,
                has_line_like(drawn.history, operation));
    }
  }
}

std::size_t created_in(const Recording& recording, int lane, const std::string& resource) {
  return static_cast<std::size_t>(
      std::ranges::count_if(recording.journal.effects, [&](const Effect& effect) {
        return effect.lane == lane && place_of(effect.resource) == place_of(resource) &&
               is_own_creation(recording, effect);
      }));
}

TEST(LookedUp, HowMuchWasCreatedWhereAndByWhom) {
  std::size_t more = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Operation& operation : drawn.history.operations) {
      std::uint64_t equal = 0;
      for (const Operation& other : drawn.history.operations) {
        if (other.lane != operation.lane || content_of(other) != content_of(operation)) continue;
        equal += static_cast<std::uint64_t>(std::ranges::count_if(
            other.effects, [&](const Effect* e) { return is_own_creation(drawn.run, *e); }));
      }
      ASSERT_EQ(equal_creations(drawn.with_control, operation), equal) << "seed " << seed;
      if (operation.effects.empty()) continue;
      const std::string& resource = operation.effects.front()->resource;
      const auto made = created_in(drawn.run, operation.lane, resource);
      const auto usual = created_in(drawn.usual, 0, resource);
      const auto found = more_than_usual(drawn.with_control, operation);
      ASSERT_EQ(found.has_value(), made > usual) << "seed " << seed;
      if (!found) continue;
      ++more;
      EXPECT_EQ(found->made, made);
      EXPECT_EQ(found->usual, usual);
    }
  }
  EXPECT_GT(more, 500U);
}

bool is_another_intent(const Case& c, const Operation& other, const Operation& operation) {
  if (!c.control_history) return false;
  if (!other.reference.empty()) return other.reference != operation.reference;
  if (!other.outcomes.empty()) return true;
  return std::ranges::any_of(c.control_history->operations, [&](const Operation& usual) {
    return content_of(usual) == content_of(other);
  });
}

std::size_t creations_after(const Case& c, const Operation& operation) {
  const bool is_left = operation.attempts.size() == 1 && operation.lookups.empty();
  if (!is_left || operation.effects.empty()) return 0;
  const Duration since = operation.attempts.front().exchange->first_byte;
  const std::string place = place_of(operation.effects.front()->resource);
  std::size_t made = 0;
  for (const Operation& other : c.history.operations) {
    if (&other == &operation || other.lane != operation.lane) continue;
    if (is_another_intent(c, other, operation)) continue;
    made += static_cast<std::size_t>(std::ranges::count_if(other.effects, [&](const Effect* e) {
      return is_own_creation(c.recording, *e) && e->at > since && place_of(e->resource) == place;
    }));
  }
  return made;
}

TEST(LookedUp, WhatWasCreatedBehindOneThatWasLeftInDoubt) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    for (const Case* c : {&drawn.with_control, &drawn.alone}) {
      const LaterCreations later(*c);
      for (const Operation& operation : drawn.history.operations) {
        const auto expected = creations_after(*c, operation);
        found += expected;
        ASSERT_EQ(later.after(operation), expected) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(found, 1000U);
}

TEST(LookedUp, TheLongestGapOfALaneAndTheClientsOwnDelays) {
  std::size_t delays = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Drawn drawn(seed);
    std::map<int, Duration> largest;
    std::map<std::pair<std::string, std::size_t>, Duration> longest;
    for (const Operation& operation : drawn.usual_history.operations) {
      std::vector<const Attempt*> policy;
      for (const Attempt& attempt : operation.attempts) {
        if (!attempt.transport_resend) policy.push_back(&attempt);
        if (attempt.gap) largest[operation.lane] = std::max(largest[operation.lane], *attempt.gap);
      }
      for (std::size_t i = 1; i < policy.size(); ++i) {
        if (!policy[i]->gap || retry_after(drawn.usual, *policy[i - 1]->exchange)) continue;
        auto& delay = longest[{operation.method, i}];
        delay = std::max(delay, *policy[i]->gap);
      }
    }
    for (int lane = 0; lane < 4; ++lane) {
      ASSERT_EQ(largest_gap(drawn.usual_history, lane), largest[lane]) << "seed " << seed;
    }
    for (const char* method : {"GET", "POST", "PUT"}) {
      for (std::size_t index = 1; index < 5; ++index) {
        const auto expected = longest.find({method, index});
        const auto found = own_delay(drawn.with_control, method, index);
        ASSERT_EQ(found.has_value(), expected != longest.end()) << "seed " << seed;
        if (!found) continue;
        ++delays;
        ASSERT_EQ(*found, expected->second) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(delays, 100U);
}

TEST(LookedUp, ARecordByItsNumber) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Recording drawn = RandomRecording(seed).make(20);
    auto& exchanges = drawn.journal.exchanges;
    if (seed % 2 == 0) std::ranges::reverse(exchanges);
    if (seed % 3 == 0) exchanges[7].number = exchanges[3].number;
    const ExchangesByNumber by_number(exchanges);
    for (std::uint64_t number = 0; number < 40; ++number) {
      const auto expected = std::ranges::find(exchanges, number, &Exchange::number);
      const Exchange* found = by_number.find(number);
      ASSERT_EQ(found, expected == exchanges.end() ? nullptr : &*expected) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace mishap::client_tests
