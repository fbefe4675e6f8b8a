#include <unistd.h>

#include <iostream>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/seed.h"
#include "cli/signals.h"
#include "mishap/server.h"
#include "reports/formats/printable.h"

namespace mishap::cli {
namespace {

std::string rules_text(const server::Exchange& exchange) {
  std::string text;
  for (const auto& hit : exchange.rules) {
    if (!hit.fired) continue;
    text += "  [" + hit.rule + (hit.delivered ? "]" : "; not delivered: " + hit.shortfall + "]");
  }
  return text;
}

std::string answer_text(const server::Exchange& exchange) {
  const auto& receipt = exchange.receipt;
  const auto status = exchange.answer.status == 0 ? std::string("no answer")
                                                  : std::to_string(exchange.answer.status);
  if (receipt.delivery == server::Delivery::Complete) return status;
  if (receipt.bytes_written == 0) {
    return fmt::format("no byte of an answer, {}", to_string(receipt.ending));
  }
  return fmt::format("{} cut after {} bytes, {}", status, receipt.bytes_written,
                     to_string(receipt.ending));
}

// What came, what was done, how it ended.
std::string exchange_line(const server::Exchange& exchange) {
  auto line = fmt::format(
      "{:>9.3f}  #{} c{}  {} {}", std::chrono::duration<double>(exchange.first_byte).count(),
      exchange.number, exchange.connection, exchange.request.method, exchange.request.target);
  if (exchange.identity.attempt > 1) line += fmt::format("  attempt {}", exchange.identity.attempt);
  if (!exchange.request.key.empty()) line += "  key " + exchange.request.key;
  if (!exchange.effects.empty()) line += "  took effect";
  if (exchange.answer.replayed) line += "  replayed";
  line += "  -> " + answer_text(exchange) + rules_text(exchange);
  if (!exchange.note.empty()) line += "  " + exchange.note;
  return reports::printable(line);
}

void print_effects(const server::Journal& journal) {
  const auto counted = [](std::size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
  };
  std::cout << counted(journal.connections.size(), "connection") << ", "
            << counted(journal.exchanges.size(), "request") << ", "
            << counted(journal.effects.size(), "effect") << "\n";
  std::map<std::uint64_t, int> created;
  for (const auto& effect : journal.effects) {
    std::cout << reports::printable(fmt::format(
                     "  {:>9.3f}  {} {} {}{}", std::chrono::duration<double>(effect.at).count(),
                     to_string(effect.kind), effect.resource, effect.id,
                     effect.reference.empty() ? "" : "  ref " + effect.reference))
              << "\n";
    if (effect.kind == server::EffectKind::Created) ++created[effect.operation];
  }
  for (const auto& [operation, count] : created) {
    if (count > 1)
      std::cout << fmt::format("  {} were created for operation {}\n", count, operation);
  }
  if (journal.lost != 0)
    std::cout << fmt::format("{} records were lost at the cap\n", journal.lost);
}

}  // namespace

int run_serve(const ServeArguments& arguments) {
  const InterruptWatch watch;
  const auto scenario = load_one(arguments.target, arguments.load);
  if (!scenario) return kExitUsage;

  const server::SystemClock clock;
  auto server = server::start_server(clock);
  if (!server) {
    std::cerr << render(server.error());
    return kExitInternal;
  }
  server::RunOptions options;
  options.seed = choose_seed(arguments.seed);
  options.lanes = scenario->client.copies;
  options.port = arguments.port;
  options.token = "mishap-token";
  auto run = (*server)->begin(*scenario, options);
  if (!run) {
    std::cerr << render(run.error());
    return kExitInternal;
  }
  std::mutex output;
  (*run)->on_exchange([&output](const server::Exchange& exchange) {
    const std::lock_guard lock(output);
    std::cout << exchange_line(exchange) << std::endl;
  });
  {
    const std::lock_guard lock(output);
    for (const auto& address : (*run)->addresses()) {
      std::cout << fmt::format("ready {}  {}", address.url, address.api);
      if (options.lanes > 1) std::cout << " copy " << address.lane;
      std::cout << std::endl;
    }
    std::cout << fmt::format("seed {}, token {}; Ctrl-C ends it", options.seed, options.token)
              << std::endl;
  }
  watch.wait();
  const auto journal = (*run)->end();
  const std::lock_guard lock(output);
  print_effects(journal);
  return kExitPass;
}

}  // namespace mishap::cli
