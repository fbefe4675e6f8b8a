#include "server/engine/engine_fixture.h"

#include <stdexcept>
#include <utility>

#include "mishap/scenario.h"

namespace mishap::server {
namespace {

scenarios::Scenario loaded(const std::string& yaml) {
  scenarios::Loaded result = scenarios::load_scenario_text("test.yaml", yaml, ".", {});
  std::string problems;
  for (const Diagnostic& diagnostic : result.diagnostics) problems += render(diagnostic);
  if (!result.scenario) throw std::runtime_error(problems);
  return *result.scenario;
}

}  // namespace

PaperWire::PaperWire(const std::string& yaml, std::uint64_t seed, int lanes,
                     const std::string& token) {
  const scenarios::Scenario scenario = loaded(yaml);
  RunOptions options;
  options.seed = seed;
  options.lanes = lanes;
  options.token = token;
  api = scenario.apis.front().name;
  engine = make_engine(scenario, options, [](Duration run_time) {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::seconds(1'700'000'000) + run_time));
  });
  engine->on_event([this](std::uint64_t event) { happened.insert(event); });
}

std::uint64_t PaperWire::connect() {
  return engine->accept({lane, api, 40000}, now).id;
}

Underway PaperWire::start(const Ask& ask) {
  Underway under;
  under.ask = ask;
  under.connection = ask.connection == 0 ? connect() : ask.connection;
  under.sent = now;
  RequestHead head{ask.method, ask.target, 1, ask.headers, false, !ask.body.empty()};
  Decision decision = engine->head(under.connection, std::move(head), now, now);
  under.exchange = decision.id;
  under.steps = std::move(decision.steps);
  while (!under.read && step(under)) {
  }
  return under;
}

void PaperWire::run_until_apply(Underway& under) {
  while (!under.steps.empty() && !std::holds_alternative<Apply>(under.steps.front())) step(under);
}

Exchange PaperWire::finish(Underway& under) {
  while (step(under)) {
  }
  Receipt& receipt = under.receipt;
  if (!receipt.ended) receipt.ended = now;
  receipt.bytes_written = under.bytes.size();
  engine->end(under.exchange, under.read ? under.ask.body.size() : 0, receipt);
  last_bytes = under.bytes;
  return recorded(under.exchange);
}

Exchange PaperWire::send(const Ask& ask) {
  Underway under = start(ask);
  return finish(under);
}

Exchange PaperWire::recorded(std::uint64_t exchange) {
  journal = engine->snapshot();
  return journal.exchanges.at(exchange - 1);
}

bool PaperWire::step(Underway& under) {
  if (under.steps.empty()) return false;
  const Step next = under.steps.front();
  under.steps.erase(under.steps.begin());
  perform(under, next);
  return true;
}

void PaperWire::leave_if_impatient(Underway& under, Duration until) {
  if (!under.ask.patience || under.cut) return;
  const Duration leaves = under.sent + *under.ask.patience;
  if (leaves > until) return;
  under.receipt.departure = Departure::Fin;
  under.receipt.departed = leaves;
  cut(under, Ending::ClientLeft);
  engine->client_left(under.exchange, Departure::Fin, leaves);
}

void PaperWire::cut(Underway& under, Ending ending) {
  if (!under.cut) {
    under.receipt.ending = ending;
    under.receipt.ended = now;
  }
  under.cut = true;
}

void PaperWire::write(Underway& under, const Send& send) {
  under.receipt.bytes_planned += send.bytes.size();
  if (under.cut || send.part == Part::Interim) return;
  if (!under.receipt.first_write) under.receipt.first_write = now;
  under.receipt.last_write = now;
  under.bytes += send.bytes;
  under.receipt.delivery = under.bytes.find("\r\n\r\n") == std::string::npos ? Delivery::PartOfHead
                                                                             : Delivery::PartOfBody;
}

Steps PaperWire::apply(Underway& under, const Apply& step) {
  const auto request = step.upstream ? engine->call_upstream(under.exchange, now) : std::nullopt;
  if (!request) return engine->apply(under.exchange, now);
  return engine->apply_answer(under.exchange, upstream(*request), now);
}

void PaperWire::perform(Underway& under, const Step& step) {
  if (std::holds_alternative<ReadBody>(step)) {
    under.read = true;
    Steps more = engine->request(under.exchange, under.ask.body, now);
    under.steps.insert(under.steps.begin(), more.begin(), more.end());
  } else if (const auto* wait = std::get_if<Wait>(&step)) {
    leave_if_impatient(under, now + wait->length);
    now += wait->length;
  } else if (const auto* hold = std::get_if<WaitForEvent>(&step)) {
    if (happened.contains(hold->event)) return;
    leave_if_impatient(under, now + hold->most);
    now += hold->most;
  } else if (const auto* effect = std::get_if<Apply>(&step)) {
    Steps more = apply(under, *effect);
    under.steps.insert(under.steps.begin(), more.begin(), more.end());
  } else if (const auto* send = std::get_if<Send>(&step)) {
    write(under, *send);
  } else if (std::holds_alternative<CloseConnection>(step)) {
    cut(under, Ending::Closed);
  } else if (std::holds_alternative<ResetConnection>(step)) {
    cut(under, Ending::Reset);
  } else if (std::holds_alternative<Stall>(step)) {
    const Duration leaves = under.sent + under.ask.patience.value_or(std::chrono::seconds(30));
    now = std::max(now, leaves);
    under.ask.patience = leaves - under.sent;
    leave_if_impatient(under, now);
    under.receipt.ending = Ending::Stalled;
  } else if (std::holds_alternative<Finish>(step)) {
    if (!under.cut) {
      under.receipt.ending = Ending::KeptAlive;
      under.receipt.delivery = Delivery::Complete;
      under.receipt.ended = now;
    }
  }
}

std::string body_of(const std::string& answer) {
  const std::size_t blank = answer.find("\r\n\r\n");
  return blank == std::string::npos ? std::string() : answer.substr(blank + 4);
}

bool has_line(const std::string& answer, const std::string& line) {
  return answer.find("\r\n" + line + "\r\n") != std::string::npos;
}

Ask post(const std::string& target, const std::string& json, const std::string& key) {
  Ask ask;
  ask.method = "POST";
  ask.target = target;
  ask.headers = {{"Content-Type", "application/json"}};
  if (!key.empty()) ask.headers.push_back({"Idempotency-Key", key});
  ask.body = json;
  return ask;
}

Ask get(const std::string& target) {
  Ask ask;
  ask.target = target;
  return ask;
}

}  // namespace mishap::server
