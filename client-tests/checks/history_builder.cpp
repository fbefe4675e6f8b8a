#include "client-tests/checks/history_builder.h"

#include <algorithm>
#include <utility>

#include "client-tests/checks/first_run.h"

namespace mishap::client_tests {

using std::chrono::milliseconds;

namespace {

bool is_safe(const std::string& method) {
  return method == "GET" || method == "HEAD";
}

std::string content_of(const server::RequestFacts& request) {
  return request.method + " " + request.path + " " + request.reference;
}

}  // namespace

// --- OperationBuilder -------------------------------------------------------------------------

OperationBuilder& OperationBuilder::key(const std::string& key) {
  key_ = key;
  return *this;
}

OperationBuilder& OperationBuilder::lane(int lane) {
  lane_ = lane;
  return *this;
}

OperationBuilder& OperationBuilder::reference(const std::string& reference) {
  reference_ = reference;
  return *this;
}

server::Identity OperationBuilder::next_identity() {
  server::Identity identity;
  identity.by = !reference_.empty() ? server::IdentifiedBy::Reference
                : !key_.empty()     ? server::IdentifiedBy::Key
                                    : server::IdentifiedBy::Content;
  identity.operation = number_;
  identity.ordinal = ordinal_;
  identity.attempt = ++attempts_;
  return identity;
}

server::BatchItem OperationBuilder::item() {
  server::BatchItem item;
  item.identity = next_identity();
  item.key = key_;
  item.reference = reference_;
  server::RequestFacts single;
  single.method = method_;
  single.path = path_;
  single.reference = reference_;
  item.content_hash = content_of(single);
  return item;
}

ExchangeBuilder OperationBuilder::attempt(Duration first_byte) {
  auto& exchange = recording_->add_exchange(first_byte);
  exchange.lane = lane_;
  exchange.request.method = method_;
  exchange.request.path = exchange.request.target = path_;
  exchange.request.reference = reference_;
  exchange.request.key = key_;
  exchange.request.content_hash = content_of(exchange.request);
  exchange.request.body_hash = exchange.request.content_hash;
  exchange.safe = is_safe(method_);
  exchange.idempotent = exchange.safe || method_ == "PUT" || method_ == "DELETE";
  exchange.identity = next_identity();
  recording_->connection(exchange.connection).lane = lane_;
  return ExchangeBuilder(*recording_, exchange.number);
}

ExchangeBuilder OperationBuilder::resend(Duration first_byte) {
  return attempt(first_byte).role(server::Role::TransportResend);
}

ExchangeBuilder OperationBuilder::poll(Duration first_byte) {
  OperationBuilder next = *this;
  next.number_ = next.ordinal_ = ++recording_->operations_;
  next.attempts_ = 0;
  return next.attempt(first_byte).role(server::Role::Poll);
}

// --- RecordingBuilder -------------------------------------------------------------------------

RecordingBuilder::RecordingBuilder(const std::string& scenario) {
  recording_.scenario.name = scenario;
  recording_.scenario.offers_lookup = true;
  recording_.scenario.offers_keys = true;
  recording_.scenario.kill_after = std::chrono::seconds(40);
  recording_.scenario.apis = {"booking"};
  recording_.mishap_version = "0.1.0";
}

OperationBuilder RecordingBuilder::create(const std::string& reference) {
  auto operation = this->operation("POST", "/v1/bookings");
  operation.reference_ = reference;
  return operation;
}

OperationBuilder RecordingBuilder::read(const std::string& path) {
  return operation("GET", path);
}

OperationBuilder RecordingBuilder::operation(const std::string& method, const std::string& path) {
  ++operations_;
  OperationBuilder operation(*this, operations_, operations_);
  operation.method_ = method;
  operation.path_ = path;
  return operation;
}

ExchangeBuilder RecordingBuilder::batch(Duration first_byte,
                                        std::initializer_list<OperationBuilder*> items) {
  auto& exchange = add_exchange(first_byte);
  exchange.request.method = "POST";
  exchange.request.path = exchange.request.target = "/v1/bookings/batch";
  exchange.request.content_hash = exchange.request.body_hash = "batch of";
  exchange.request.body_bytes = 100;
  for (OperationBuilder* operation : items) {
    const server::BatchItem& item = exchange.items.emplace_back(operation->item());
    exchange.lane = operation->lane_;
    exchange.identity.attempt = std::max(exchange.identity.attempt, item.identity.attempt);
    exchange.request.content_hash += " " + item.content_hash;
  }
  connection(exchange.connection).lane = exchange.lane;
  return ExchangeBuilder(*this, exchange.number);
}

ExchangeBuilder RecordingBuilder::lookup(Duration first_byte, std::vector<std::uint64_t> operations,
                                         bool found) {
  auto exchange = read("/v1/bookings").attempt(first_byte).role(server::Role::Lookup);
  return exchange.looked_up(std::move(operations), found);
}

ExchangeBuilder RecordingBuilder::unmatched(Duration first_byte, const std::string& method,
                                            const std::string& path) {
  auto& exchange = add_exchange(first_byte);
  exchange.role = server::Role::Unmatched;
  exchange.request.method = method;
  exchange.request.path = exchange.request.target = path;
  ExchangeBuilder builder(*this, exchange.number);
  builder.answered(404, first_byte + milliseconds(1));
  return builder;
}

server::Connection& RecordingBuilder::handshake(Duration accepted, const std::string& certificate,
                                                int lane) {
  auto& connections = recording_.journal.connections;
  const std::uint64_t number = connections.empty() ? 1 : connections.back().number + 1;
  server::Connection& made = connections.emplace_back();
  made.number = number;
  made.lane = lane;
  made.api = "booking";
  made.accepted = accepted;
  made.tls.emplace().hello = accepted + milliseconds(1);
  made.tls->certificate = certificate;
  made.tls->flight_planned = made.tls->flight_sent = 1300;
  seen(accepted);
  return made;
}

server::ListenerSpell& RecordingBuilder::refused(Duration began, std::optional<Duration> ended,
                                                 std::initializer_list<Duration> turned_away,
                                                 int lane) {
  auto& journal = recording_.journal;
  server::ListenerSpell& spell = journal.spells.emplace_back();
  spell.number = journal.spells.size();
  spell.lane = lane;
  spell.api = "booking";
  spell.what = spell.probe = "refused";
  spell.began = began;
  spell.ended = spell.until = ended;
  spell.heard = true;
  for (const Duration at : turned_away) {
    seen(at);
    const auto port = static_cast<Port>(50000 + journal.turned_away.size());
    journal.turned_away.push_back({spell.number, lane, "booking", at, port});
  }
  return spell;
}

RecordingBuilder& RecordingBuilder::control() {
  recording_.is_control = true;
  return *this;
}

RuleFacts& RecordingBuilder::rule(const std::string& name, const std::string& fault) {
  RuleFacts rule;
  rule.name = name;
  rule.fault = fault;
  rule.on = "POST /v1/bookings";
  rule.called_in_control = true;
  return recording_.scenario.rules.emplace_back(std::move(rule));
}

RecordingBuilder& RecordingBuilder::expect(const std::string& check, scenarios::Level level,
                                           const std::string& reason) {
  scenarios::Expectation expectation;
  expectation.check = check;
  expectation.level = level;
  expectation.reason = reason;
  recording_.scenario.expectations.push_back(std::move(expectation));
  return *this;
}

OutcomeLine& RecordingBuilder::outcome(Duration at, const std::string& operation, OutcomeKind kind,
                                       int copy) {
  OutcomeLine line;
  line.at = at;
  line.copy = copy;
  line.operation = operation;
  line.outcome = kind;
  seen(at);
  return recording_.outcomes.emplace_back(std::move(line));
}

RecordingBuilder& RecordingBuilder::no_outcomes_offered() {
  recording_.outcomes_offered = false;
  return *this;
}

ProcessFacts& RecordingBuilder::process(Duration started, Duration ended, int exit_code, int copy) {
  ProcessFacts facts;
  facts.copy = copy;
  facts.started = started;
  facts.ended = ended;
  facts.exit_code = exit_code;
  facts.samples = 1;
  seen(ended);
  return recording_.processes.emplace_back(std::move(facts));
}

RecordingBuilder& RecordingBuilder::length(Duration length) {
  recording_.length = length;
  return *this;
}

server::Exchange& RecordingBuilder::add_exchange(Duration first_byte) {
  auto& journal = recording_.journal;
  server::Connection connection;
  connection.number = journal.connections.empty() ? 1 : journal.connections.back().number + 1;
  connection.api = "booking";
  connection.client_port = static_cast<Port>(40000 + connection.number);
  connection.accepted = first_byte;
  connection.exchanges = 1;
  server::Exchange exchange;
  exchange.number = journal.exchanges.size() + 1;
  exchange.api = "booking";
  exchange.connection = connection.number;
  exchange.on_connection = 1;
  exchange.first_byte = first_byte;
  exchange.head_read = exchange.request_read = first_byte;
  exchange.request.complete = true;
  exchange.request.version = "HTTP/1.1";
  journal.connections.push_back(std::move(connection));
  journal.exchanges.push_back(std::move(exchange));
  seen(first_byte);
  return journal.exchanges.back();
}

server::Exchange& RecordingBuilder::exchange(std::uint64_t number) {
  return recording_.journal.exchanges.at(number - 1);
}

server::Connection& RecordingBuilder::connection(std::uint64_t number) {
  auto& connections = recording_.journal.connections;
  return *std::find_if(connections.begin(), connections.end(),
                       [&](const auto& made) { return made.number == number; });
}

void RecordingBuilder::seen(Duration instant) {
  recording_.length = std::max(recording_.length, instant);
}

// --- CaseOf -----------------------------------------------------------------------------------

CaseOf::CaseOf(const RecordingBuilder& run, const RecordingBuilder* control_run,
               const RecordingBuilder* comparison_run)
    : first(first_run(run.recording())),
      history(make_history(first ? *first : run.recording())),
      whole_history(first ? make_history(run.recording()) : History{}),
      control_history(control_run ? make_history(control_run->recording()) : History{}),
      comparison_history(comparison_run ? make_history(comparison_run->recording()) : History{}),
      value{.recording = first ? *first : run.recording(),
            .history = history,
            .control = control_run ? &control_run->recording() : nullptr,
            .control_history = control_run ? &control_history : nullptr,
            .comparison = comparison_run ? &comparison_run->recording() : nullptr,
            .comparison_history = comparison_run ? &comparison_history : nullptr,
            .whole = first ? &run.recording() : nullptr,
            .whole_history = first ? &whole_history : nullptr,
            .bounds = bounds_of(run.recording().scenario.promise)} {}

Finding evaluate(const CheckDescriptor& check, const Case& value, const Node& parameters) {
  Diagnostics diagnostics;
  const Params params = read_params(parameters, check.params, check.name, {}, diagnostics);
  if (!diagnostics.empty()) return inconclusive("bad parameters: " + diagnostics.front().message);
  Finding finding = check.evaluate(value, params);
  finding.check = check.name;
  return finding;
}

}  // namespace mishap::client_tests
