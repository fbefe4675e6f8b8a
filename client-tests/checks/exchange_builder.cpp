#include <algorithm>
#include <utility>

#include "client-tests/checks/history_builder.h"

// One exchange, told in the words of a test.
namespace mishap::client_tests {

using server::Delivery;
using server::Ending;
using std::chrono::milliseconds;

namespace {

server::Receipt complete_at(Duration at) {
  server::Receipt receipt;
  receipt.first_write = at;
  receipt.last_write = at;
  receipt.bytes_planned = receipt.bytes_written = 120;
  receipt.delivery = Delivery::Complete;
  receipt.ending = Ending::KeptAlive;
  receipt.ended = at;
  return receipt;
}

}  // namespace

// --- The request --------------------------------------------------------------------------------

ExchangeBuilder& ExchangeBuilder::key(const std::string& key) {
  raw().request.key = key;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::content(const std::string& hash) {
  raw().request.content_hash = hash;
  raw().request.body_hash = hash;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::role(server::Role role) {
  raw().role = role;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::incomplete() {
  auto& exchange = raw();
  exchange.request.complete = false;
  exchange.request_read.reset();
  return *this;
}

ExchangeBuilder& ExchangeBuilder::on(std::uint64_t connection) {
  auto& exchange = raw();
  auto& connections = recording_->recording_.journal.connections;
  std::erase_if(connections, [&](const auto& made) { return made.number == exchange.connection; });
  exchange.connection = connection;
  exchange.on_connection = ++recording_->connection(connection).exchanges;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::overlapping() {
  raw().identity.overlapping = true;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::looked_up(std::vector<std::uint64_t> operations, bool found) {
  raw().looked_up = std::move(operations);
  raw().found = found;
  return *this;
}

// --- What it did --------------------------------------------------------------------------------

ExchangeBuilder& ExchangeBuilder::effect(const std::string& id) {
  return effect_at(raw().first_byte + milliseconds(1), id);
}

ExchangeBuilder& ExchangeBuilder::effect_at(Duration at, const std::string& id) {
  auto& exchange = raw();
  auto& effects = recording_->recording_.journal.effects;
  server::Effect effect;
  effect.number = effects.size() + 1;
  effect.at = at;
  effect.lane = exchange.lane;
  effect.exchange = exchange.number;
  effect.operation = exchange.identity.operation;
  effect.resource = "bookings";
  effect.id = id.empty() ? "bk_" + std::to_string(effect.number) : id;
  effect.reference = exchange.request.reference;
  exchange.effects.push_back(effect.number);
  exchange.applied = at;
  effects.push_back(std::move(effect));
  recording_->seen(at);
  return *this;
}

ExchangeBuilder& ExchangeBuilder::took_effect(std::size_t item) {
  effect();
  auto& made = raw().items.at(item - 1);
  auto& effect = recording_->recording_.journal.effects.back();
  effect.operation = made.identity.operation;
  effect.reference = made.reference;
  made.effects.push_back(effect.number);
  return *this;
}

ExchangeBuilder& ExchangeBuilder::effect_kind(server::EffectKind kind) {
  recording_->recording_.journal.effects.at(raw().effects.back() - 1).kind = kind;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::fired(const std::string& rule, const std::string& fault) {
  server::RuleHit hit;
  hit.rule = rule;
  hit.fault = fault.empty() ? rule : fault;
  hit.fired = hit.delivered = true;
  hit.op = raw().identity.ordinal;
  raw().rules.push_back(std::move(hit));
  return *this;
}

ExchangeBuilder& ExchangeBuilder::undelivered(const std::string& rule,
                                              const std::string& shortfall) {
  fired(rule);
  raw().rules.back().delivered = false;
  raw().rules.back().shortfall = shortfall;
  return *this;
}

// --- The answer and the end ---------------------------------------------------------------------

ExchangeBuilder& ExchangeBuilder::answered(StatusCode status, Duration at) {
  auto& exchange = raw();
  exchange.answer.status = status;
  exchange.answer.healthy = true;
  exchange.answer.success = status / 100 == 2;
  exchange.receipt = complete_at(at);
  recording_->seen(at);
  return *this;
}

ExchangeBuilder& ExchangeBuilder::failed_with(StatusCode status, Duration at) {
  answered(status, at);
  raw().answer.healthy = false;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::spoiled(StatusCode status, Duration at) {
  return failed_with(status, at);
}

ExchangeBuilder& ExchangeBuilder::header(const std::string& name, const std::string& value) {
  raw().answer.headers.push_back({name, value});
  return *this;
}

ExchangeBuilder& ExchangeBuilder::replayed() {
  raw().answer.replayed = true;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::dribbled_from(Duration first_write) {
  raw().receipt.first_write = first_write;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::told(const std::vector<StatusCode>& statuses, Duration at,
                                       const std::vector<std::size_t>& replayed) {
  answered(207, at);
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    auto& item = raw().items.at(i);
    item.status = statuses[i];
    item.healthy = true;
    item.replayed = std::ranges::find(replayed, i + 1) != replayed.end();
    if (item.status / 100 == 2 && !item.replayed) took_effect(i + 1);
  }
  return *this;
}

ExchangeBuilder& ExchangeBuilder::by_rule(std::size_t item) {
  raw().items.at(item - 1).healthy = raw().answer.healthy = false;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::lost_by_reset(Duration at) {
  auto& receipt = raw().receipt;
  receipt.ending = Ending::Reset;
  receipt.ended = at;
  auto& connection = recording_->connection(raw().connection);
  connection.server_ended = connection.closed = at;
  recording_->seen(at);
  return *this;
}

ExchangeBuilder& ExchangeBuilder::lost_by_close(Duration at) {
  lost_by_reset(at);
  raw().receipt.ending = Ending::Closed;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::cut(StatusCode status, Duration last_write, Duration ended,
                                      Ending ending) {
  answered(status, last_write);
  raw().answer.healthy = false;
  lost_by_reset(ended);
  auto& receipt = raw().receipt;
  receipt.delivery = Delivery::PartOfBody;
  receipt.bytes_written = receipt.bytes_planned / 2;
  receipt.ending = ending;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::stalled() {
  raw().receipt.ending = Ending::Stalled;
  return *this;
}

ExchangeBuilder& ExchangeBuilder::left(Duration at, server::Departure how) {
  auto& exchange = raw();
  auto& receipt = exchange.receipt;
  receipt.departure = how;
  receipt.departed = at;
  if (receipt.ending == Ending::Open) receipt.ending = Ending::ClientLeft;
  auto& connection = recording_->connection(exchange.connection);
  connection.departure = how;
  connection.departed = connection.closed = at;
  recording_->seen(at);
  return *this;
}

ExchangeBuilder& ExchangeBuilder::lag(Duration lag) {
  raw().receipt.lag = lag;
  return *this;
}

std::uint64_t ExchangeBuilder::connection() const {
  return recording_->exchange(number_).connection;
}

server::Exchange& ExchangeBuilder::raw() {
  return recording_->exchange(number_);
}

}  // namespace mishap::client_tests
