#include "bench/parts/paper_wire.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "server/journal/fingerprint.h"

namespace mishap::bench {
namespace {

using server::Receipt;
using server::Steps;

// What goes out; behind an end of the connection nothing does.
void write(const Steps& steps, Receipt& receipt, std::string* bytes) {
  for (const server::Step& step : steps) {
    if (const auto* send = std::get_if<server::Send>(&step)) {
      if (send->part == server::Part::Interim) continue;
      if (send->part == server::Part::Head) receipt.head_planned += send->bytes.size();
      receipt.bytes_written += send->bytes.size();
      if (bytes != nullptr) *bytes += send->bytes;
    } else if (std::holds_alternative<server::ResetConnection>(step)) {
      receipt.ending = server::Ending::Reset;
      return;
    } else if (std::holds_alternative<server::CloseConnection>(step)) {
      receipt.ending = server::Ending::Closed;
      return;
    }
  }
}

Receipt receipt_of(const Steps& steps, Duration now, Receipts receipts) {
  Receipt receipt;
  receipt.ending = server::Ending::KeptAlive;
  std::string bytes;
  write(steps, receipt, receipts == Receipts::Whole ? &bytes : nullptr);
  receipt.ended = now;
  if (receipt.bytes_written == 0) return receipt;
  receipt.first_write = receipt.last_write = now;
  receipt.bytes_planned = receipt.bytes_written;
  receipt.delivery = server::Delivery::Complete;
  if (receipts == Receipts::Quick) return receipt;
  receipt.bytes_hash = server::fingerprint(bytes).text();
  receipt.writes.push_back({now, 0, bytes.size()});
  return receipt;
}

}  // namespace

Call get(const std::string& target) {
  return {{"GET", target, 1, {{"Host", "bench"}, {"Authorization", "Bearer mishap-token"}}}, {}};
}

Call create(const std::string& target, const std::string& reference, const std::string& key) {
  Call call;
  call.body = R"({"reference":")" + reference +
              R"(","product":"p-1","guests":2,"date":"2030-12-24","name":"A Name Of Some Length",)"
              R"("notes":"a few words that make it as long as a booking is"})";
  call.head = {"POST",
               target,
               1,
               {{"Host", "bench"},
                {"Content-Type", "application/json"},
                {"Authorization", "Bearer mishap-token"},
                {"Content-Length", std::to_string(call.body.size())}}};
  call.head.has_body = true;
  if (!key.empty()) call.head.headers.push_back({"Idempotency-Key", key});
  return call;
}

scenarios::Scenario loaded(const std::string& yaml) {
  scenarios::Loaded result = scenarios::load_scenario_text("bench.yaml", yaml, ".", {});
  for (const Diagnostic& diagnostic : result.diagnostics) {
    std::fputs(render(diagnostic).c_str(), stderr);
  }
  if (!result.scenario) std::abort();
  return std::move(*result.scenario);
}

std::unique_ptr<server::Engine> engine_of(const scenarios::Scenario& scenario) {
  server::RunOptions options;
  options.seed = 1;
  options.lanes = scenario.client.copies;
  return server::make_engine(scenario, options, [](Duration run_time) {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::seconds(1'700'000'000) + run_time));
  });
}

std::uint64_t connect(server::Engine& engine, const std::string& api, Duration now) {
  return engine.accept({0, api, 40000}, now).id;
}

void decide(server::Engine& engine, std::uint64_t connection, Call call, Duration now,
            Receipts receipts) {
  const std::size_t size = call.body.size();
  const server::Decision decision = engine.head(connection, std::move(call.head), now, now);
  Steps steps = engine.request(decision.id, std::move(call.body), now);
  if (server::find_step<server::Apply>(steps) != steps.end()) {
    steps = engine.apply(decision.id, now);
  }
  engine.end(decision.id, size, receipt_of(steps, now, receipts));
}

}  // namespace mishap::bench
