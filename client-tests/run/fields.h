#pragma once

#include <concepts>
#include <type_traits>

#include "mishap/recording.h"

// Which members a stored value has, told once for writing and for reading: `io(name, member)`
// writes the member, or fills it. A member that is not listed here does not survive being stored.
// What stored runs of older versions lack is told with `io.later(name, member)`: it keeps its
// default there.
namespace mishap::client_tests {

// T or const T.
template <typename T, typename Of>
concept A = std::same_as<std::remove_const_t<T>, Of>;

template <typename Io>
void describe(Io& io, A<OutcomeLine> auto& value) {
  io("at", value.at);
  io("copy", value.copy);
  io("operation", value.operation);
  io("outcome", value.outcome);
  io("id", value.id);
  io("attempts", value.attempts);
  io("duration_ms", value.duration_ms);
  io("category", value.category);
  io("error", value.error);
  io("cached", value.cached);
  io("as_of", value.as_of);
  io("kept", value.kept);
  io("kept_bytes", value.kept_bytes);
}

template <typename Io>
void describe(Io& io, A<DeadLetter> auto& value) {
  io("copy", value.copy);
  io("run", value.run);
  io("operation", value.operation);
  io("error", value.error);
  io("attempts", value.attempts);
  io("has_payload", value.has_payload);
  io("payload_file", value.payload_file);
  io("payload_bytes", value.payload_bytes);
}

template <typename Io>
void describe(Io& io, A<Telemetry> auto& value) {
  io("copy", value.copy);
  io("run", value.run);
  io("unreadable", value.trouble);
  io("counters", value.counters);
}

template <typename Io>
void describe(Io& io, A<ClientClaims> auto& value) {
  io("logs", value.logs);
  io("json_logs", value.json_logs);
  io("sensitive", value.sensitive);
  io("dead_letters", value.dead_letters);
  io("telemetry", value.telemetry);
}

template <typename Io>
void describe(Io& io, A<SocketSeen> auto& value) {
  io("local_port", value.local_port);
  io("first_seen", value.first_seen);
  io("last_seen", value.last_seen);
  io("connecting_until", value.connecting_until);
  io("half_closed_since", value.half_closed_since);
}

template <typename Io>
void describe(Io& io, A<ProcessFacts> auto& value) {
  io("copy", value.copy);
  io.later("life", value.life);
  io.later("run", value.run);
  io.later("role", value.role);
  io("started", value.started);
  io("ended", value.ended);
  io("told_to_end", value.told_to_end);
  io("stop", value.stop);
  io("exit_code", value.exit_code);
  io("signal", value.signal);
  io("samples", value.samples);
  io("cpu_seconds", value.cpu_seconds);
  io("peak_rss", value.peak_rss);
  io("peak_fds", value.peak_fds);
  io("sockets", value.sockets);
  io("foreign_addresses", value.foreign_addresses);
  io.later("listening", value.listening);
  io("left_behind", value.left_behind);
}

template <typename Io>
void describe(Io& io, A<DriveFacts> auto& value) {
  io("copy", value.copy);
  io("what", value.what);
  io("started", value.started);
  io("ended", value.ended);
  io("stop", value.stop);
  io("exit_code", value.exit_code);
  io("signal", value.signal);
  io("status", value.status);
  io("error", value.error);
  io("foreign_addresses", value.foreign_addresses);
}

// Head and tail are files of their own: they are the client's bytes, whatever these are.
template <typename Io>
void describe(Io& io, A<Captured> auto& value) {
  io("copy", value.copy);
  io("stream", value.stream);
  io("bytes", value.bytes);
  io("lines", value.lines);
  io("masked", value.masked);
  io("canary_hits", value.canary_hits);
  io.later("canary_forms", value.canary_forms);
  io.later("sensitive_hits", value.sensitive_hits);
  io.later("unread", value.unread);
}

template <typename Io>
void describe(Io& io, A<scenarios::Count> auto& value) {
  io("first", value.first);
  io("last", value.last);
  io("every", value.every);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<RuleFacts> auto& value) {
  io("name", value.name);
  io("fault", value.fault);
  io("point", value.point);
  io("on", value.on);
  io("called_in_control", value.called_in_control);
  io("ambiguous", value.ambiguous);
  io("op", value.op);
  io("attempt", value.attempt);
  io("request", value.request);
  io("rate", value.rate);
}

template <typename Io>
void describe(Io& io, A<scenarios::Promise> auto& value) {
  io.later("profile", value.profile);
  io("max_attempts", value.max_attempts);
  io("attempt_timeout", value.attempt_timeout);
  io("deadline", value.deadline);
  io("max_delay", value.max_delay);
  io("retries", value.retries);
  io.later("answer_within", value.answer_within);
  io.later("breaker", value.breaker);
  io.later("retry_budget", value.retry_budget);
}

template <typename Io>
void describe(Io& io, A<Node> auto& value) {
  io("kind", value.kind);
  io("text", value.text);
  io("quoted", value.quoted);
  io("items", value.items);
  io("members", value.members);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<scenarios::Expectation> auto& value) {
  io("check", value.check);
  io("level", value.level);
  io("reason", value.reason);
  io("parameters", value.parameters);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<NameValue> auto& value) {
  io("name", value.name);
  io("value", value.value);
}

template <typename Io>
void describe(Io& io, A<scenarios::Matcher> auto& value) {
  io("api", value.api);
  io("method", value.method);
  io("path", value.path);
  io("call_class", value.call_class);
  io("headers", value.headers);
  io("query", value.query);
  io("body", value.body);
  io("text", value.text);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<scenarios::ExpectedCall> auto& value) {
  io("on", value.on);
  io("count", value.count);
  io("after", value.after);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<scenarios::ExpectedCounts> auto& value) {
  io("outcome", value.outcome);
  io("attempts", value.attempts);
  io("effects", value.effects);
  io("seen", value.seen);
  io("calls", value.calls);
  io("span", value.span);
}

template <typename Io>
void describe(Io& io, A<ScenarioFacts> auto& value) {
  io("name", value.name);
  io("pack", value.pack);
  io("summary", value.summary);
  io("stands_for", value.stands_for);
  io("consequence", value.consequence);
  io("remedy", value.remedy);
  io("tags", value.tags);
  io("rules", value.rules);
  io("apis", value.apis);
  io("offers_lookup", value.offers_lookup);
  io("offers_keys", value.offers_keys);
  io("promise", value.promise);
  io("expectations", value.expectations);
  io("counts", value.counts);
  io("compare_with", value.compare_with);
  io("copies", value.copies);
  io("kill_after", value.kill_after);
  io.later("runs_after", value.runs_after);
}

template <typename Io>
void describe(Io& io, A<Calibration> auto& value) {
  io("copies", value.copies);
  io("asked", value.asked);
  io("gaps", value.gaps);
}

template <typename Io>
void describe(Io& io, A<Try> auto& value) {
  io("why", value.why);
  io("wall_start", value.wall_start);
  io("length", value.length);
}

// Where it was written is of no use later.
template <typename Io>
void describe(Io& io, A<scenarios::KnownFinding> auto& value) {
  io("scenario", value.scenario);
  io("check", value.check);
  io("reason", value.reason);
  io("until", value.until);
}

// Journal, outcomes and the series of samples are files of their own: they are read line by line.
template <typename Io>
void describe(Io& io, A<Recording> auto& value) {
  io("mishap_version", value.mishap_version);
  io("scenario", value.scenario);
  io("seed", value.seed);
  io("is_control", value.is_control);
  io("control", value.control);
  io("command", value.command);
  io("child", value.child);
  io.later("client_done", value.client_done);
  io("outcomes_offered", value.outcomes_offered);
  io("wall_start", value.wall_start);
  io("length", value.length);
  io("bad_outcome_lines", value.bad_outcome_lines);
  io("processes", value.processes);
  io.later("drives", value.drives);
  io("output", value.output);
  io.later("claims", value.claims);
  io.later("dead_letters", value.dead_letters);
  io.later("unread_dead_letters", value.unread_dead_letters);
  io.later("telemetry", value.telemetry);
  io.later("no_second_run", value.no_second_run);
  io("notes", value.notes);
  io.later("trouble", value.trouble);
  io("not_run", value.not_run);
  io.later("companion", value.companion);
  io("calibration", value.calibration);
  io.later("earlier", value.earlier);
}

// Recordings are folders of their own, named by `folders` beside these.
template <typename Io>
void describe(Io& io, A<Suite> auto& value) {
  io("name", value.name);
  io("seed", value.seed);
  io("again", value.again);
  io.later("project", value.project);
  io("jobs", value.jobs);
  io("jobs_reason", value.jobs_reason);
  io("length", value.length);
  io("stopped", value.stopped);
  io.later("targets", value.targets);
  io.later("narrowed", value.narrowed);
  io.later("shard", value.shard);
  io.later("day", value.day);
  io.later("known", value.known);
  io.later("strict_known", value.strict_known);
}

}  // namespace mishap::client_tests
