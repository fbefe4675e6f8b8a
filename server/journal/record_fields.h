#pragma once

#include "mishap/journal.h"

// The members of each record under their names in JSON: one list for writing and reading, so that
// what is written is what is read. `visit(name, member)`.
namespace mishap::server {

template <typename Visit>
void visit_fields(Visit&& visit, NameValue& v) {
  visit("name", v.name);
  visit("value", v.value);
}

template <typename Visit>
void visit_fields(Visit&& visit, KeptField& v) {
  visit("name", v.name);
  visit("value", v.value);
  visit("secret", v.secret);
}

template <typename Visit>
void visit_fields(Visit&& visit, MemberSketch& v) {
  visit("name", v.name);
  visit("type", v.type);
}

template <typename Visit>
void visit_fields(Visit&& visit, RequestFacts& v) {
  visit("method", v.method);
  visit("target", v.target);
  visit("path", v.path);
  visit("version", v.version);
  visit("headers", v.headers);
  visit("body_bytes", v.body_bytes);
  visit("complete", v.complete);
  visit("body_hash", v.body_hash);
  visit("content_hash", v.content_hash);
  visit("body_kind", v.body_kind);
  visit("members", v.members);
  visit("key", v.key);
  visit("reference", v.reference);
  visit("raw", v.raw);
}

template <typename Visit>
void visit_fields(Visit&& visit, Identity& v) {
  visit("by", v.by);
  visit("operation", v.operation);
  visit("ordinal", v.ordinal);
  visit("attempt", v.attempt);
  visit("overlapping", v.overlapping);
}

template <typename Visit>
void visit_fields(Visit&& visit, Draw& v) {
  visit("purpose", v.purpose);
  visit("value", v.value);
}

template <typename Visit>
void visit_fields(Visit&& visit, Reading& v) {
  visit("of", v.of);
  visit("value", v.value);
}

template <typename Visit>
void visit_fields(Visit&& visit, RuleHit& v) {
  visit("rule", v.rule);
  visit("fault", v.fault);
  visit("point", v.point);
  visit("fired", v.fired);
  visit("op", v.op);
  visit("draws", v.draws);
  visit("delivered", v.delivered);
  visit("shortfall", v.shortfall);
  visit("readings", v.readings);
}

template <typename Visit>
void visit_fields(Visit&& visit, AnswerFacts& v) {
  visit("status", v.status);
  visit("headers", v.headers);
  visit("body_bytes", v.body_bytes);
  visit("body_hash", v.body_hash);
  visit("healthy", v.healthy);
  visit("changed", v.changed);
  visit("success", v.success);
  visit("replayed", v.replayed);
}

template <typename Visit>
void visit_fields(Visit&& visit, Write& v) {
  visit("at", v.at);
  visit("offset", v.offset);
  visit("bytes", v.bytes);
}

template <typename Visit>
void visit_fields(Visit&& visit, ClientSignal& v) {
  visit("name", v.name);
  visit("asked", v.asked);
  visit("sent", v.sent);
  visit("gone", v.gone);
  visit("restarts", v.restarts);
}

template <typename Visit>
void visit_fields(Visit&& visit, BatchItem& v) {
  visit("identity", v.identity);
  visit("key", v.key);
  visit("reference", v.reference);
  visit("content_hash", v.content_hash);
  visit("status", v.status);
  visit("healthy", v.healthy);
  visit("replayed", v.replayed);
  visit("effects", v.effects);
}

template <typename Visit>
void visit_fields(Visit&& visit, Receipt& v) {
  visit("first_write", v.first_write);
  visit("last_write", v.last_write);
  visit("bytes_planned", v.bytes_planned);
  visit("head_planned", v.head_planned);
  visit("bytes_written", v.bytes_written);
  visit("bytes_hash", v.bytes_hash);
  visit("writes", v.writes);
  visit("more_writes", v.more_writes);
  visit("interim_bytes", v.interim_bytes);
  visit("unacknowledged", v.unacknowledged);
  visit("delivery", v.delivery);
  visit("ending", v.ending);
  visit("ended", v.ended);
  visit("departure", v.departure);
  visit("departed", v.departed);
  visit("lag", v.lag);
  visit("signals", v.signals);
}

template <typename Visit>
void visit_fields(Visit&& visit, UpstreamCall& v) {
  visit("sent", v.sent);
  visit("answered", v.answered);
  visit("status", v.status);
  visit("failure", v.failure);
  visit("in_doubt", v.in_doubt);
}

template <typename Visit>
void visit_fields(Visit&& visit, Exchange& v) {
  visit("number", v.number);
  visit("lane", v.lane);
  visit("api", v.api);
  visit("connection", v.connection);
  visit("on_connection", v.on_connection);
  visit("first_byte", v.first_byte);
  visit("head_read", v.head_read);
  visit("request_read", v.request_read);
  visit("applied", v.applied);
  visit("request", v.request);
  visit("identity", v.identity);
  visit("role", v.role);
  visit("safe", v.safe);
  visit("idempotent", v.idempotent);
  visit("looked_up", v.looked_up);
  visit("found", v.found);
  visit("effects", v.effects);
  visit("items", v.items);
  visit("rules", v.rules);
  visit("upstream", v.upstream);
  visit("answer", v.answer);
  visit("receipt", v.receipt);
  visit("note", v.note);
}

template <typename Visit>
void visit_fields(Visit&& visit, TlsFacts& v) {
  visit("hello", v.hello);
  visit("finished", v.finished);
  visit("server_name", v.server_name);
  visit("version", v.version);
  visit("certificate", v.certificate);
  visit("flight_planned", v.flight_planned);
  visit("flight_sent", v.flight_sent);
  visit("client_alert", v.client_alert);
  visit("failure", v.failure);
  visit("plain_http", v.plain_http);
  visit("close_notify", v.close_notify);
}

template <typename Visit>
void visit_fields(Visit&& visit, Connection& v) {
  visit("number", v.number);
  visit("lane", v.lane);
  visit("api", v.api);
  visit("client_port", v.client_port);
  visit("accepted", v.accepted);
  visit("exchanges", v.exchanges);
  visit("closed", v.closed);
  visit("departure", v.departure);
  visit("departed", v.departed);
  visit("server_ended", v.server_ended);
  visit("asked_for", v.asked_for);
  visit("tls", v.tls);
  visit("rules", v.rules);
}

template <typename Visit>
void visit_fields(Visit&& visit, TurnedAway& v) {
  visit("spell", v.spell);
  visit("lane", v.lane);
  visit("api", v.api);
  visit("at", v.at);
  visit("client_port", v.client_port);
}

template <typename Visit>
void visit_fields(Visit&& visit, ListenerSpell& v) {
  visit("number", v.number);
  visit("lane", v.lane);
  visit("api", v.api);
  visit("what", v.what);
  visit("began", v.began);
  visit("ended", v.ended);
  visit("until", v.until);
  visit("probe", v.probe);
  visit("dropped", v.dropped);
  visit("most_open", v.most_open);
  visit("most_waiting", v.most_waiting);
  visit("heard", v.heard);
  visit("rules", v.rules);
}

template <typename Visit>
void visit_fields(Visit&& visit, Effect& v) {
  visit("number", v.number);
  visit("at", v.at);
  visit("lane", v.lane);
  visit("exchange", v.exchange);
  visit("operation", v.operation);
  visit("effect", v.kind);  // "kind" is the word for the line
  visit("resource", v.resource);
  visit("id", v.id);
  visit("reference", v.reference);
}

// What has such a list.
template <typename T>
concept Record = requires(T& record) {
  visit_fields([](const char*, auto&) {}, record);
};

}  // namespace mishap::server
