#include "cli/exchange_line.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "mishap/printable.h"

namespace mishap::cli {
namespace {

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

std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// "(1 of 3 failed)"; empty: it is no batch, or nothing was told of its items.
std::string items_text(const server::Exchange& exchange) {
  const auto told = std::ranges::count_if(
      exchange.items, [](const server::BatchItem& item) { return item.status != 0; });
  const auto failed = std::ranges::count_if(
      exchange.items, [](const server::BatchItem& item) { return item.status >= 400; });
  return told == 0 ? "" : fmt::format(" ({} of {} failed)", failed, exchange.items.size());
}

std::string effect_line(const server::Effect& effect) {
  return "  " +
         printable(fmt::format("{:>9.3f}  {} {} {}{}",
                               std::chrono::duration<double>(effect.at).count(),
                               to_string(effect.kind), effect.resource, effect.id,
                               effect.reference.empty() ? "" : "  ref " + effect.reference)) +
         "\n";
}

}  // namespace

std::string rules_text(const std::vector<server::RuleHit>& rules) {
  std::string text;
  for (const auto& hit : rules) {
    if (!hit.fired) continue;
    text += "  [" + hit.rule + (hit.delivered ? "]" : "; not delivered: " + hit.shortfall + "]");
  }
  return text;
}

std::string exchange_line(const server::Exchange& exchange) {
  // Once for every request that a server sees, so its parts are put together in one place.
  using std::chrono::milliseconds;
  const auto at = std::chrono::round<milliseconds>(exchange.first_byte).count();
  fmt::memory_buffer line;
  const auto out = fmt::appender(line);
  fmt::format_to(out, "{:>5}.{:03}  #{} c{}  {} {}", at / 1000, at % 1000, exchange.number,
                 exchange.connection, exchange.request.method, exchange.request.target);
  if (exchange.identity.attempt > 1) {
    fmt::format_to(out, "  attempt {}", exchange.identity.attempt);
  }
  const auto say = [&](std::string_view before, std::string_view text) {
    line.append(before);
    line.append(text);
  };
  if (!exchange.request.key.empty()) say("  key ", exchange.request.key);
  if (!exchange.effects.empty()) say("  took effect", "");
  if (exchange.answer.replayed) say("  replayed", "");
  say("  -> ", answer_text(exchange));
  if (!exchange.items.empty()) say(items_text(exchange), "");
  if (!exchange.rules.empty()) say(rules_text(exchange.rules), "");
  if (!exchange.note.empty()) say("  ", exchange.note);
  return printable({line.data(), line.size()});
}

std::string effects_text(const server::Journal& journal) {
  auto text = counted(journal.connections.size(), "connection") + ", " +
              counted(journal.exchanges.size(), "request") + ", " +
              counted(journal.effects.size(), "effect") + "\n";
  std::map<std::uint64_t, int> created;
  for (const auto& effect : journal.effects) {
    text += effect_line(effect);
    if (effect.kind == server::EffectKind::Created) ++created[effect.operation];
  }
  for (const auto& [operation, count] : created) {
    if (count > 1) text += fmt::format("  {} were created for operation {}\n", count, operation);
  }
  if (journal.lost != 0)
    text += fmt::format("{} records were lost: there was no room for them\n", journal.lost);
  return text;
}

}  // namespace mishap::cli
