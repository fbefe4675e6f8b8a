#include "server/faults/fault_fixture.h"

#include <gtest/gtest.h>

namespace mishap::server {

using std::chrono::milliseconds;

namespace {

Node scalar(const std::string& text) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = text;
  return node;
}

std::string lines_of(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& one : diagnostics) out += (out.empty() ? "" : "\n") + one.message;
  return out;
}

std::string owner_of(const FaultDescriptor& fault) {
  return "fault \"" + std::string(fault.name) + "\"";
}

}  // namespace

const char* const kOrdinaryHead =
    R"("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n")";

Node node_of(const Written& members) {
  Node map;
  map.kind = Node::Kind::Map;
  for (const auto& [name, value] : members) map.members.emplace_back(scalar(name), scalar(value));
  return map;
}

Params params_of(const FaultDescriptor& fault, const Written& members) {
  Diagnostics diagnostics;
  Params params = read_params(node_of(members), fault.params, owner_of(fault), {}, diagnostics);
  EXPECT_EQ(lines_of(diagnostics), "");
  return params;
}

std::string complaints(const FaultDescriptor& fault, Point point, const Written& members) {
  Diagnostics diagnostics;
  const Params params =
      read_params(node_of(members), fault.params, owner_of(fault), {}, diagnostics);
  if (diagnostics.empty() && fault.validate != nullptr) {
    fault.validate(params, point, {}, diagnostics);
  }
  return lines_of(diagnostics);
}

SendAnswer answer_with(const FaultDescriptor& fault, const Written& members,
                       const std::string& body) {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  Steps steps = {SendAnswer{201, {{"Content-Type", "application/json"}}, body, false}, Finish{}};
  steps = fault.plan(std::move(steps), params_of(fault, members), context);
  return std::get<SendAnswer>(steps.at(0));
}

bool is_harmless(const FaultDescriptor& fault, const Written& members) {
  return fault.harmless(params_of(fault, members), fault.points.front());
}

Steps ordinary(Moment moment) {
  switch (moment) {
    case Moment::Accept:
      return {};
    case Moment::Head:
      return {ReadBody{}};
    case Moment::Request:
      return {Apply{}};
    case Moment::Apply:
      break;
  }
  return {SendAnswer{201, {{"Content-Type", "application/json"}}, R"({"id":"bk_1"})", false},
          Finish{}};
}

std::string planned(const FaultDescriptor& fault, Point point, Moment moment,
                    const Written& members, Steps steps, double draw) {
  ScriptedDraws draws(draw);
  FaultContext context{point, moment, {}, draws};
  if (!fault.shapes_answer) steps = encode(std::move(steps));
  steps = fault.plan(std::move(steps), params_of(fault, members), context);
  return print(steps);
}

std::string planned(const FaultDescriptor& fault, Point point, const Written& members) {
  const Moment moment = moment_of(point);
  return planned(fault, point, moment, members, ordinary(moment));
}

Exchange answered() {
  Exchange exchange;
  exchange.number = 1;
  exchange.first_byte = milliseconds(9);
  exchange.head_read = milliseconds(9);
  exchange.request_read = milliseconds(10);
  exchange.applied = milliseconds(11);
  exchange.request.method = "POST";
  exchange.request.complete = true;
  exchange.effects = {1};
  exchange.answer.status = 201;
  exchange.answer.body_bytes = 13;
  exchange.answer.success = true;
  exchange.answer.healthy = true;
  exchange.receipt.first_write = milliseconds(12);
  exchange.receipt.last_write = milliseconds(12);
  exchange.receipt.bytes_planned = 113;
  exchange.receipt.bytes_written = 113;
  exchange.receipt.delivery = Delivery::Complete;
  exchange.receipt.ending = Ending::KeptAlive;
  exchange.receipt.ended = milliseconds(12);
  return exchange;
}

Exchange unanswered(Ending ending) {
  return changed(answered(), [ending](Exchange& exchange) {
    exchange.answer.healthy = false;
    exchange.receipt = Receipt{};
    exchange.receipt.ending = ending;
    exchange.receipt.ended = milliseconds(12);
  });
}

Exchange changed(Exchange exchange, const std::function<void(Exchange&)>& change) {
  change(exchange);
  return exchange;
}

std::string proof(const FaultDescriptor& fault, Point point, const Exchange& exchange,
                  const Written& members, const Connection* connection) {
  return fault.shortfall({exchange, point, connection}, params_of(fault, members))
      .value_or("delivered");
}

std::string spell_proof(const FaultDescriptor& fault, const ListenerSpell& spell,
                        const Written& members) {
  const Exchange none;
  return fault.shortfall({none, Point::Connect, nullptr, &spell}, params_of(fault, members))
      .value_or("delivered");
}

}  // namespace mishap::server
