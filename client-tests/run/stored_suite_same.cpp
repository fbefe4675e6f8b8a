#include <gtest/gtest.h>

#include <tuple>

#include "client-tests/run/stored_suite_fixture.h"

namespace mishap::client_tests {
namespace {

void expect_same(const SourceSpan& a, const SourceSpan& b) {
  ASSERT_EQ(a.source == nullptr, b.source == nullptr);
  if (a.source) {
    EXPECT_EQ(a.source->name, b.source->name);
    EXPECT_EQ(a.source->text, b.source->text);
  }
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.length, b.length);
}

void expect_same(const Node& a, const Node& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.quoted, b.quoted);
  expect_same(a.span, b.span);
  ASSERT_EQ(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) expect_same(a.items[i], b.items[i]);
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    expect_same(a.members[i].first, b.members[i].first);
    expect_same(a.members[i].second, b.members[i].second);
  }
}

void expect_same(const scenarios::Count& a, const scenarios::Count& b) {
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.last, b.last);
  EXPECT_EQ(a.every, b.every);
  expect_same(a.span, b.span);
}

void expect_same(const std::optional<scenarios::Count>& a,
                 const std::optional<scenarios::Count>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) expect_same(*a, *b);
}

void expect_same(const ScenarioFacts& a, const ScenarioFacts& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.pack, b.pack);
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.stands_for, b.stands_for);
  EXPECT_EQ(a.consequence, b.consequence);
  EXPECT_EQ(a.remedy, b.remedy);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_EQ(a.apis, b.apis);
  EXPECT_EQ(a.offers_lookup, b.offers_lookup);
  EXPECT_EQ(a.offers_keys, b.offers_keys);
  EXPECT_EQ(a.compare_with, b.compare_with);
  EXPECT_EQ(a.copies, b.copies);
  EXPECT_EQ(a.kill_after, b.kill_after);
  EXPECT_EQ(a.runs_after, b.runs_after);
  EXPECT_EQ(a.promise.profile, b.promise.profile);
  EXPECT_EQ(a.promise.max_attempts, b.promise.max_attempts);
  EXPECT_EQ(a.promise.attempt_timeout, b.promise.attempt_timeout);
  EXPECT_EQ(a.promise.deadline, b.promise.deadline);
  EXPECT_EQ(a.promise.max_delay, b.promise.max_delay);
  EXPECT_EQ(a.promise.retries, b.promise.retries);
  EXPECT_EQ(a.promise.answer_within, b.promise.answer_within);
  EXPECT_EQ(a.promise.breaker, b.promise.breaker);
  EXPECT_EQ(a.promise.retry_budget, b.promise.retry_budget);
}

void expect_same(const RuleFacts& a, const RuleFacts& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.fault, b.fault);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.on, b.on);
  EXPECT_EQ(a.called_in_control, b.called_in_control);
  EXPECT_EQ(a.ambiguous, b.ambiguous);
  expect_same(a.op, b.op);
  expect_same(a.attempt, b.attempt);
  expect_same(a.request, b.request);
  EXPECT_EQ(a.rate, b.rate);
}

void expect_same(const scenarios::Matcher& a, const scenarios::Matcher& b) {
  EXPECT_EQ(a.api, b.api);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.call_class, b.call_class);
  EXPECT_EQ(a.headers, b.headers);
  EXPECT_EQ(a.query, b.query);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(a.text, b.text);
  expect_same(a.span, b.span);
}

void expect_same(const scenarios::ExpectedCall& a, const scenarios::ExpectedCall& b) {
  expect_same(a.on, b.on);
  expect_same(a.count, b.count);
  ASSERT_EQ(a.after.has_value(), b.after.has_value());
  if (a.after) expect_same(*a.after, *b.after);
  expect_same(a.span, b.span);
}

void expect_same(const scenarios::ExpectedCounts& a, const scenarios::ExpectedCounts& b) {
  EXPECT_EQ(a.outcome, b.outcome);
  expect_same(a.attempts, b.attempts);
  ASSERT_EQ(a.effects.size(), b.effects.size());
  for (const auto& [name, count] : a.effects) expect_same(count, b.effects.at(name));
  ASSERT_EQ(a.seen.size(), b.seen.size());
  for (const auto& [status, count] : a.seen) expect_same(count, b.seen.at(status));
  ASSERT_EQ(a.calls.size(), b.calls.size());
  for (std::size_t i = 0; i < a.calls.size(); ++i) expect_same(a.calls[i], b.calls[i]);
  expect_same(a.span, b.span);
}

void expect_same(const OutcomeLine& a, const OutcomeLine& b) {
  const auto all = [](const OutcomeLine& one) {
    return std::tie(one.at, one.copy, one.operation, one.outcome, one.id, one.attempts,
                    one.duration_ms, one.category, one.error, one.kept, one.kept_bytes, one.cached,
                    one.as_of);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const DriveFacts& a, const DriveFacts& b) {
  const auto all = [](const DriveFacts& one) {
    return std::tie(one.copy, one.what, one.started, one.ended, one.stop, one.exit_code, one.signal,
                    one.status, one.error, one.foreign_addresses);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const ProcessFacts& a, const ProcessFacts& b) {
  EXPECT_EQ(a.copy, b.copy);
  EXPECT_EQ(a.life, b.life);
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.role, b.role);
  EXPECT_EQ(a.told_to_end, b.told_to_end);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.ended, b.ended);
  EXPECT_EQ(a.stop, b.stop);
  EXPECT_EQ(a.exit_code, b.exit_code);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.cpu_seconds, b.cpu_seconds);
  EXPECT_EQ(a.peak_rss, b.peak_rss);
  EXPECT_EQ(a.peak_fds, b.peak_fds);
  EXPECT_EQ(a.foreign_addresses, b.foreign_addresses);
  EXPECT_EQ(a.listening, b.listening);
  EXPECT_EQ(a.left_behind, b.left_behind);
  ASSERT_EQ(a.sockets.size(), b.sockets.size());
  for (std::size_t i = 0; i < a.sockets.size(); ++i) {
    EXPECT_EQ(a.sockets[i].local_port, b.sockets[i].local_port);
    EXPECT_EQ(a.sockets[i].first_seen, b.sockets[i].first_seen);
    EXPECT_EQ(a.sockets[i].last_seen, b.sockets[i].last_seen);
    EXPECT_EQ(a.sockets[i].connecting_until, b.sockets[i].connecting_until);
    EXPECT_EQ(a.sockets[i].half_closed_since, b.sockets[i].half_closed_since);
  }
  EXPECT_EQ(a.series, b.series);
}

void expect_same(const Captured& a, const Captured& b) {
  EXPECT_EQ(a.copy, b.copy);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.head, b.head);
  EXPECT_EQ(a.tail, b.tail);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.masked, b.masked);
  EXPECT_EQ(a.canary_hits, b.canary_hits);
  EXPECT_EQ(a.canary_forms, b.canary_forms);
  EXPECT_EQ(a.sensitive_hits, b.sensitive_hits);
  EXPECT_EQ(a.unread, b.unread);
}

void expect_same(const DeadLetter& a, const DeadLetter& b) {
  const auto all = [](const DeadLetter& one) {
    return std::tie(one.copy, one.run, one.operation, one.error, one.attempts, one.has_payload,
                    one.payload_file, one.payload_bytes);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const Telemetry& a, const Telemetry& b) {
  const auto all = [](const Telemetry& one) {
    return std::tie(one.copy, one.run, one.trouble, one.counters);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const ClientClaims& a, const ClientClaims& b) {
  const auto all = [](const ClientClaims& one) {
    return std::tie(one.logs, one.json_logs, one.sensitive, one.dead_letters, one.telemetry);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const scenarios::Expectation& a, const scenarios::Expectation& b) {
  EXPECT_EQ(a.check, b.check);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.reason, b.reason);
  expect_same(a.parameters, b.parameters);
  expect_same(a.span, b.span);
}

void expect_same(const Recording& a, const Recording& b);

template <typename T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.mishap_version, b.mishap_version);
  expect_same(a.scenario, b.scenario);
  expect_same(a.scenario.rules, b.scenario.rules);
  expect_same(a.scenario.expectations, b.scenario.expectations);
  expect_same(a.scenario.counts, b.scenario.counts);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.is_control, b.is_control);
  EXPECT_EQ(a.control, b.control);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.client_done, b.client_done);
  EXPECT_EQ(a.outcomes_offered, b.outcomes_offered);
  EXPECT_EQ(a.wall_start, b.wall_start);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(server::to_json_lines(a.journal), server::to_json_lines(b.journal));
  expect_same(a.outcomes, b.outcomes);
  EXPECT_EQ(a.bad_outcome_lines, b.bad_outcome_lines);
  expect_same(a.processes, b.processes);
  expect_same(a.output, b.output);
  expect_same(a.drives, b.drives);
  EXPECT_EQ(a.calibration, b.calibration);
  expect_same(a.claims, b.claims);
  expect_same(a.dead_letters, b.dead_letters);
  EXPECT_EQ(a.unread_dead_letters, b.unread_dead_letters);
  expect_same(a.telemetry, b.telemetry);
  EXPECT_EQ(a.no_second_run, b.no_second_run);
  EXPECT_EQ(a.trouble, b.trouble);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.not_run, b.not_run);
}

}  // namespace

void expect_same(const std::vector<Recording>& a, const std::vector<Recording>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

}  // namespace mishap::client_tests
