#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// No attempt waits for its answer without limit.
namespace mishap::client_tests {

namespace {

// An answer that was owed from `begin`: until the server gave or ended it, until the client let go,
// or (neither) until the end.
struct Owed {
  int lane = 0;
  Duration begin{};
  std::optional<Duration> server_done{};
  std::optional<Duration> client_left{};
};

constexpr Duration kOneInstant = std::chrono::milliseconds(100);

Owed owed_by(const Attempt& attempt, int lane) {
  const auto& receipt = attempt.exchange->receipt;
  Owed owed{.lane = lane, .begin = attempt.exchange->first_byte};
  owed.client_left = attempt.abandoned_at;
  const bool ended_by_us = attempt.result == Result::Broken;
  if (answered(attempt)) owed.server_done = receipt.last_write;
  if (ended_by_us) owed.server_done = receipt.ended ? receipt.ended : receipt.last_write;
  return owed;
}

// An accepted connection that a fault held before a byte of a request was read.
Owed owed_by(const server::Connection& connection) {
  return {.lane = connection.lane,
          .begin = connection.accepted,
          .server_done = connection.server_ended,
          .client_left = connection.departed};
}

using Source = std::pair<int, Port>;  // of a connect: copy of the client, its port

// What became of the connects of all copies.
struct Connects {
  explicit Connects(const server::Journal& journal) {
    for (const auto& connection : journal.connections) {
      accepted.insert({connection.lane, connection.client_port});
    }
    for (const auto& one : journal.turned_away) {
      turned_away.try_emplace({one.lane, one.client_port}, &one);
    }
  }

  std::set<Source> accepted;
  std::map<Source, const server::TurnedAway*> turned_away;  // the first of each
};

// The first that began after this one: whoever goes on to the next has given the last one up, also
// where it keeps the socket.
std::optional<Duration> next_begun(const std::vector<Duration>& begun, const SocketSeen& socket) {
  const auto next = std::ranges::upper_bound(begun, socket.first_seen);
  return next == begun.end() ? std::nullopt : std::optional(*next);
}

// When the client let go of it; nothing: it never did, as far as can be seen.
std::optional<Duration> let_go(const Connects& connects, const ProcessFacts& process,
                               const std::vector<Duration>& begun, const SocketSeen& socket) {
  if (const auto next = next_begun(begun, socket)) return std::min(*next, socket.last_seen);
  const auto heard = connects.turned_away.find({process.copy, socket.local_port});
  if (heard != connects.turned_away.end()) return std::max(heard->second->at, socket.last_seen);
  if (socket.last_seen + 2 * kOneInstant >= process.ended) return std::nullopt;
  return socket.last_seen;
}

// Sockets that the client had and nobody let in, where connects are left unanswered: seen from
// outside twenty times a second, so that each waited at least as long.
std::vector<Owed> unanswered_connects(const Recording& recording) {
  std::vector<Owed> owed;
  const auto unanswered = [](const auto& spell) { return spell.what == "unanswered"; };
  if (std::ranges::none_of(recording.journal.spells, unanswered)) return owed;
  const Connects connects(recording.journal);
  for (const auto& spell : recording.journal.spells) {
    const ProcessFacts* process = process_of(recording, spell.lane);
    if (!unanswered(spell) || process == nullptr) continue;
    std::vector<Duration> begun;
    for (const SocketSeen& socket : process->sockets) begun.push_back(socket.first_seen);
    std::ranges::sort(begun);
    for (const SocketSeen& socket : process->sockets) {
      if (connects.accepted.contains({spell.lane, socket.local_port})) continue;
      owed.push_back({.lane = spell.lane,
                      .begin = socket.first_seen,
                      .client_left = let_go(connects, *process, begun, socket)});
    }
  }
  return owed;
}

class Judge {
 public:
  explicit Judge(const Case& c)
      : case_(c), bound_(c.bounds.attempt_timeout), limit_(bound_ + late_tolerance(bound_)) {}

  void look_at(const Owed& owed, const std::string& name, Witness cited) {
    const Recording& recording = case_.recording;
    const Duration own = own_until(recording, owed.lane);
    const bool killed = was_killed(recording, owed.lane) || was_stopped(recording, owed.lane);
    std::optional<Duration> left = owed.client_left;
    if (left && killed && *left >= own) left.reset();  // our doing, not the client's
    if (left && (!owed.server_done || *left <= *owed.server_done)) {
      judge_leaving(owed, *left, name, std::move(cited));
    } else if (owed.server_done) {
      judge_waiting(*owed.server_done - owed.begin, name + ": waited", std::move(cited));
    } else if (own - owed.begin > limit_) {
      judge_waiting(own - owed.begin, name + ": still waiting after", std::move(cited));
    } else {
      judge_end(owed, own, name, std::move(cited));
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "an attempt waited beyond its timeout",
         .reason = fmt::format("An attempt waited longer than {} for its answer.", seconds(bound_)),
         .held = fmt::format("let go after at most {}", seconds(longest_)),
         .none = "no answer was held back until the client let go"});
  }

 private:
  std::string inequality(std::string_view what, Duration waited) const {
    return fmt::format("{} {} {} {} + {}{}", what, seconds(waited), waited <= limit_ ? "<=" : ">",
                       seconds(bound_), seconds(limit_ - bound_),
                       case_.bounds.attempt_timeout_promised ? "" : " (nothing promised)");
  }

  // Waiting is no merit: only what is too long counts.
  void judge_waiting(Duration waited, const std::string& what, Witness cited) {
    if (waited <= limit_) return;
    cited.statement = inequality(what, waited);
    tally_.broke(std::move(cited));
  }

  void judge_leaving(const Owed& owed, Duration left, const std::string& name, Witness cited) {
    const Duration waited = left - owed.begin;
    cited.statement = inequality(name + ": let go after", waited);
    if (waited > limit_) {
      tally_.broke(std::move(cited));
    } else if (crashed_at(owed.lane, left)) {
      tally_.open(how_it_ended(case_.recording, owed.lane) + " before its timeout was over",
                  std::move(cited));
    } else {
      longest_ = std::max(longest_, waited);
      tally_.held(std::move(cited));
    }
  }

  void judge_end(const Owed& owed, Duration own, const std::string& name, Witness cited) {
    const ProcessFacts* process = process_of(case_.recording, owed.lane);
    cited.statement = inequality(name + ": seen for", own - owed.begin);
    if (process && process->stop == Stop::Exited && !crashed(*process)) {
      longest_ = std::max(longest_, own - owed.begin);
      tally_.held(std::move(cited));
    } else {
      tally_.open(fmt::format("{} {} after it began to wait, before {} were over",
                              how_it_ended(case_.recording, owed.lane), seconds(own - owed.begin),
                              seconds(bound_)),
                  std::move(cited));
    }
  }

  bool crashed_at(int lane, Duration left) const {
    const ProcessFacts* process = process_of(case_.recording, lane);
    return process && crashed(*process) && left >= process->ended - kOneInstant;
  }

  const Case& case_;
  Duration bound_;
  Duration limit_;
  Duration longest_{};
  Tally tally_;
};

bool was_held_before_a_request(const server::Connection& connection) {
  return connection.exchanges == 0 &&
         std::any_of(connection.rules.begin(), connection.rules.end(),
                     [](const server::RuleHit& hit) { return hit.fired; });
}

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const auto& operation : c.history.operations) {
    for (const auto& attempt : operation.attempts) {
      if (attempt.cut_by_signal) continue;
      judge.look_at(owed_by(attempt, operation.lane), operation.name,
                    witness(operation, {&attempt}, ""));
    }
  }
  for (const auto& connection : c.recording.journal.connections) {
    if (!was_held_before_a_request(connection)) continue;
    judge.look_at(owed_by(connection), fmt::format("connection {}", connection.number), {});
  }
  for (const Owed& connect : unanswered_connects(c.recording)) {
    judge.look_at(connect, "a connect without an answer", {});
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kAttemptTimeoutBounded = {
    .name = "attempt_timeout_bounded",
    .summary = "no attempt waits without limit",
    .rule =
        "(client lets go - first byte of the request) <= attempt_timeout + max(250 ms, 10 %); "
        "30 s where nothing is promised",
    .judged =
        "attempts whose answer was held back until the client let go, or longer than the "
        "bound",
    .why = "One stalled vendor holds a worker, then all of them.",
    .change = "Set a timeout for the whole attempt, not only for connecting or for each read.",
    .source = "AWS Builders' Library, Timeouts, retries and backoff with jitter",
    .since = "0.1",
    .timing = true,
    .severity = 72,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
