#include "bench/made_run.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

namespace mishap::bench {

using namespace std::chrono_literals;
using client_tests::OutcomeKind;
using client_tests::OutcomeLine;
using server::Exchange;

namespace {

constexpr std::uint64_t kOnOneConnection = 50;
constexpr std::uint64_t kProducts = 1000;
constexpr Duration kAnswerTakes = 2ms;

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Looks like a fingerprint of the journal, and is as long as one.
std::string hash_of(std::string_view kind, std::uint64_t lane, std::uint64_t name) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t state = mixed(lane * 0x100000000ULL + name) ^ std::hash<std::string_view>{}(kind);
  std::string text;
  for (int i = 0; i < 15; ++i) {
    if (i % 10 == 0) state = mixed(state);
    text += kDigits[(state >> (i % 10 * 6)) % 64];
  }
  return text;
}

std::string reference_of(int lane, std::uint64_t name) {
  return fmt::format("R-{}-{}", lane, name);
}

std::string key_of(std::uint64_t lane, std::uint64_t name) {
  const std::string hex = fmt::format("{:016x}{:016x}", mixed(lane * 0x100000000ULL + name),
                                      mixed(name * 0x100000000ULL + lane));
  return fmt::format("{}-{}-4{}-a{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 3),
                     hex.substr(15, 3), hex.substr(18, 12));
}

scenarios::Count attempts_up_to(std::uint64_t last) {
  scenarios::Count count;
  count.last = last;
  return count;
}

client_tests::RuleFacts rule(const std::string& name, const std::string& fault,
                             std::uint64_t attempts) {
  client_tests::RuleFacts facts;
  facts.name = name;
  facts.fault = fault;
  facts.on = "POST /v1/bookings";
  facts.called_in_control = true;
  facts.ambiguous = fault == "response_lost";
  facts.attempt = attempts_up_to(attempts);
  facts.rate = 0.2;
  return facts;
}

server::RuleHit hit(const std::string& name, const std::string& fault, double draw) {
  server::RuleHit made;
  made.rule = name;
  made.fault = fault;
  made.point = "after_effect";
  made.fired = true;
  made.draws = {{"rate", draw}};
  made.delivered = true;
  return made;
}

void set_request(Exchange& exchange, const std::string& method, const std::string& target) {
  auto& request = exchange.request;
  request.method = method;
  request.target = target;
  request.path = target.substr(0, target.find('?'));
  request.version = "HTTP/1.1";
  request.headers = {{"Host", "127.0.0.1:40123", false},
                     {"User-Agent", "python-requests/2.28.1", false},
                     {"Accept-Encoding", "gzip, deflate", false},
                     {"Accept", "*/*", false},
                     {"Connection", "keep-alive", false},
                     {"Authorization", "Bearer sha256:0123456789ab length 39", true}};
  request.complete = true;
  exchange.safe = exchange.idempotent = method == "GET";
}

void set_body(Exchange& exchange, std::uint64_t bytes) {
  auto& request = exchange.request;
  request.headers.push_back({"Content-Type", "application/json", false});
  request.headers.push_back({"Content-Length", std::to_string(bytes), false});
  request.body_bytes = bytes;
  request.body_kind = "json";
}

// Each operation with its attempts and fates, by weight.
template <typename Step>
struct Story {
  std::uint64_t weight;
  std::vector<Step> steps;
};

}  // namespace

client_tests::Recording made_frame(const RunPlan& plan) {
  client_tests::Recording frame;
  frame.mishap_version = "bench";
  frame.seed = 1;
  frame.is_control = !plan.faults;
  frame.command = {"python3", "sync_job.py"};
  auto& scenario = frame.scenario;
  scenario.name = plan.faults ? "bad-day" : "healthy";
  scenario.pack = "bench";
  scenario.apis = {"booking"};
  scenario.offers_lookup = scenario.offers_keys = true;
  scenario.copies = plan.copies;
  scenario.promise.max_attempts = 5;
  scenario.promise.retries = true;
  if (!plan.faults) return frame;
  frame.control = "healthy";
  scenario.rules = {rule("unavailable", "status", 3), rule("throttled", "rate_limited", 1),
                    rule("lost", "response_lost", 1)};
  return frame;
}

MadeRun::MadeRun(const RunPlan& plan) : plan_(plan) {
  for (int i = 0; i < plan_.copies; ++i) {
    Lane& lane = lanes_.emplace_back();
    lane.number = i;
    lane.now = i * 137us;
  }
}

std::uint64_t MadeRun::draw(std::uint64_t below) {
  return mixed(seed_++) % below;
}

bool MadeRun::add(std::uint64_t attempts, server::Journal& journal,
                  std::vector<OutcomeLine>& outcomes) {
  const std::uint64_t until = std::min(attempts_ + attempts, plan_.attempts);
  while (attempts_ < until) {
    Lane& lane = *std::ranges::min_element(lanes_, {}, &Lane::now);
    plan_.shape == Shape::Calls ? take(lane, journal, outcomes) : take_batch(lane, journal);
    length_ = std::max(length_, lane.now);
  }
  if (attempts_ < plan_.attempts) return true;
  for (server::Connection& connection : connections_) {
    if (!connection.closed) connection.closed = length_;
  }
  journal.connections = std::move(connections_);
  connections_.clear();
  return false;
}

void MadeRun::plan_next(Lane& lane) {
  using enum Fate;
  using enum Call;
  static const std::vector<Story<Step>> kStories = {
      {55, {{Create, Done, 3ms}}},
      {8, {{Create, Unavailable, 3ms}, {Create, Done, 250ms}}},
      {4, {{Create, Throttled, 3ms}, {Create, Done, 1050ms}}},
      {5, {{Create, Cut, 3ms}, {Create, Replayed, 300ms}}},
      {1,
       {{Create, Unavailable, 3ms},
        {Create, Unavailable, 200ms},
        {Create, Unavailable, 420ms},
        {Create, Done, 900ms}}},
      {1, {{Create, Refused, 3ms}}},
      {2, {{Bare, Cut, 3ms}, {Lookup, Found, 300ms}}},
      {22, {{Read, Done, 1ms}}},
      {2, {{Read, Unavailable, 1ms}, {Read, Done, 220ms}}}};
  ++lane.operations;
  lane.name = lane.operations;
  lane.attempt = 0;
  auto at = draw(100);
  for (const auto& story : kStories) {
    if (at < story.weight) {
      lane.steps.assign(story.steps.begin(), story.steps.end());
      break;
    }
    at -= story.weight;
  }
  if (plan_.faults) return;
  lane.steps.resize(1);
  lane.steps.front().fate = Done;
}

Exchange MadeRun::begun(Lane& lane) {
  if (lane.connection == 0 || connections_[lane.connection - 1].exchanges >= kOnOneConnection) {
    if (lane.connection != 0) connections_[lane.connection - 1].closed = lane.now;
    server::Connection& opened = connections_.emplace_back();
    opened.number = lane.connection = connections_.size();
    opened.lane = lane.number;
    opened.api = "booking";
    opened.client_port = static_cast<Port>(20000 + opened.number % 40000);
    opened.accepted = lane.now - 100us;
  }
  Exchange exchange;
  exchange.number = ++exchanges_;
  exchange.lane = lane.number;
  exchange.api = "booking";
  exchange.connection = lane.connection;
  exchange.on_connection = ++connections_[lane.connection - 1].exchanges;
  exchange.first_byte = lane.now;
  exchange.head_read = lane.now + 20us;
  exchange.request_read = lane.now + 40us;
  return exchange;
}

std::uint64_t MadeRun::effect(const Exchange& exchange, std::uint64_t operation, Duration at,
                              const std::string& reference, server::Journal& journal) {
  server::Effect& made = journal.effects.emplace_back();
  made.number = ++effects_;
  made.at = at;
  made.lane = exchange.lane;
  made.exchange = exchange.number;
  made.operation = operation;
  made.resource = "bookings";
  made.id = fmt::format("bk_{}", effects_);
  made.reference = reference;
  return made.number;
}

void MadeRun::end(Lane& lane, Exchange& exchange, Fate fate, StatusCode status) {
  auto& answer = exchange.answer;
  auto& receipt = exchange.receipt;
  answer.status = status;
  answer.success = status / 100 == 2;
  answer.healthy = status < 500 && status != 429;
  answer.replayed = fate == Fate::Replayed;
  answer.headers = {{"Content-Type", "application/json"}};
  if (fate == Fate::Throttled) answer.headers.push_back({"Retry-After", "1"});
  answer.body_bytes = 96;
  answer.body_hash = hash_of("answer", exchange.number, 0);
  receipt.bytes_planned = 240;
  receipt.head_planned = 144;
  receipt.bytes_hash = hash_of("bytes", exchange.number, 0);
  receipt.lag = 30us;
  const Duration at = exchange.first_byte + kAnswerTakes;
  lane.now = at;
  receipt.ended = at;
  if (fate == Fate::Cut) {
    receipt.ending = server::Ending::Reset;
    lane.connection = 0;
    server::Connection& cut = connections_[exchange.connection - 1];
    cut.closed = cut.server_ended = at;
    return;
  }
  receipt.first_write = receipt.last_write = at;
  receipt.bytes_written = receipt.bytes_planned;
  receipt.writes = {{at, 0, receipt.bytes_written}};
  receipt.unacknowledged = 0;
  receipt.delivery = server::Delivery::Complete;
  receipt.ending = server::Ending::KeptAlive;
}

void MadeRun::set_call(const Lane& lane, Call call, Exchange& exchange) {
  const auto copy = static_cast<std::uint64_t>(lane.number);
  auto& request = exchange.request;
  const std::string reference = reference_of(lane.number, lane.name);
  if (call == Call::Lookup) {
    set_request(exchange, "GET", "/v1/bookings?reference=" + reference);
    request.content_hash = hash_of("lookup", copy, lane.name);
    exchange.role = server::Role::Lookup;
    exchange.looked_up = {lane.create};
    exchange.found = true;
    return;
  }
  if (call == Call::Read) {
    set_request(exchange, "GET", fmt::format("/v1/products/p-{}", lane.name % kProducts));
    request.content_hash = hash_of("read", 0, lane.name % kProducts);
    return;
  }
  set_request(exchange, "POST", "/v1/bookings");
  set_body(exchange, 180);
  request.members = {{"reference", "string"},
                     {"product", "string"},
                     {"quantity", "integer"},
                     {"customer", "object"}};
  request.reference = reference;
  request.body_hash = hash_of("body", copy, lane.name);
  request.content_hash = hash_of("create", copy, lane.name);
  if (call == Call::Bare) return;
  request.key = key_of(copy, lane.name);
  request.headers.push_back({"Idempotency-Key", request.key, false});
}

StatusCode MadeRun::set_fate(Fate fate, StatusCode well, Exchange& exchange) {
  const double chance = static_cast<double>(draw(2000)) / 10000.0;
  switch (fate) {
    case Fate::Refused:
      return 422;
    case Fate::Unavailable:
      exchange.rules = {hit("unavailable", "status", chance)};
      return 503;
    case Fate::Throttled:
      exchange.rules = {hit("throttled", "rate_limited", chance)};
      return 429;
    case Fate::Cut:
      exchange.rules = {hit("lost", "response_lost", chance)};
      return well;
    default:
      return well;
  }
}

void MadeRun::take(Lane& lane, server::Journal& journal, std::vector<OutcomeLine>& outcomes) {
  if (lane.steps.empty()) plan_next(lane);
  const Step step = lane.steps.front();
  lane.steps.pop_front();
  lane.now += step.wait + std::chrono::microseconds(draw(900));
  Exchange exchange = begun(lane);
  const bool is_lookup = step.call == Call::Lookup;
  const bool is_create = step.call == Call::Create || step.call == Call::Bare;
  if (++lane.attempt == 1 || is_lookup) {
    lane.current = ++operations_;
    if (is_create) lane.create = lane.current;
  }
  set_call(lane, step.call, exchange);
  exchange.identity = {
      .by = is_create ? server::IdentifiedBy::Reference : server::IdentifiedBy::Content,
      .operation = lane.current,
      .ordinal = lane.operations,
      .attempt = is_lookup ? 1 : lane.attempt};
  const StatusCode status = set_fate(step.fate, is_create ? 201 : 200, exchange);
  if (is_create && (step.fate == Fate::Done || step.fate == Fate::Cut)) {
    exchange.applied = lane.now + 60us;
    exchange.effects = {effect(exchange, lane.current, *exchange.applied,
                               reference_of(lane.number, lane.name), journal)};
  }
  end(lane, exchange, step.fate, status);
  journal.exchanges.push_back(std::move(exchange));
  ++attempts_;
  if (lane.steps.empty() && (is_create || is_lookup)) outcomes.push_back(word_of(lane, step.fate));
}

OutcomeLine MadeRun::word_of(const Lane& lane, Fate fate) {
  OutcomeLine line;
  line.at = lane.now + 200us;
  line.copy = lane.number;
  line.operation = reference_of(lane.number, lane.name);
  line.outcome = fate == Fate::Refused ? OutcomeKind::Failed : OutcomeKind::Succeeded;
  line.attempts = static_cast<std::int64_t>(lane.attempt);
  return line;
}

// Three of four batches are cut after they took effect, and the client leaves it at that; of the
// others half is done, and that half is told so.
void MadeRun::take_batch(Lane& lane, server::Journal& journal) {
  const auto copy = static_cast<std::uint64_t>(lane.number);
  const std::uint64_t count = std::min(plan_.items, plan_.attempts - attempts_);
  const bool is_cut = plan_.faults && draw(4) != 0;
  lane.now += 5ms + std::chrono::microseconds(draw(900));
  Exchange exchange = begun(lane);
  set_request(exchange, "POST", "/v1/bookings/batch");
  set_body(exchange, 120 * count);
  exchange.request.body_hash = hash_of("body", copy, exchange.number);
  exchange.request.content_hash = hash_of("batch", copy, exchange.number);
  exchange.applied = lane.now + 60us;
  if (is_cut) exchange.rules = {hit("lost", "response_lost", 0.1)};
  for (std::uint64_t i = 0; i < count; ++i) {
    ++attempts_;
    ++lane.operations;
    server::BatchItem& item = exchange.items.emplace_back();
    item.identity = {.by = server::IdentifiedBy::Content,
                     .operation = ++operations_,
                     .ordinal = lane.operations,
                     .attempt = 1};
    item.content_hash = hash_of("item", copy, lane.operations);
    item.status = !plan_.faults || is_cut || i % 2 == 0 ? 201 : 503;
    item.healthy = item.status == 201;
    if (item.status != 201) continue;
    item.effects = {effect(exchange, operations_, *exchange.applied, "", journal)};
    exchange.effects.push_back(item.effects.front());
  }
  end(lane, exchange, is_cut ? Fate::Cut : Fate::Done, 207);
  journal.exchanges.push_back(std::move(exchange));
}

}  // namespace mishap::bench
