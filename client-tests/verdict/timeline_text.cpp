#include "client-tests/verdict/timeline_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "client-tests/checks/check.h"
#include "mishap/printable.h"

namespace mishap::client_tests {

using server::Delivery;
using server::EffectKind;
using server::Ending;
using server::Exchange;

namespace {

constexpr std::size_t kPathShown = 80;
constexpr std::size_t kNameShown = 40;

std::string call_text(const Exchange& exchange) {
  const auto& request = exchange.request;
  std::string text = printable(request.method + " " + request.path, kPathShown);
  if (!request.reference.empty()) text += "  ref " + printable(request.reference, kNameShown);
  if (!request.key.empty()) text += "  key " + printable(request.key, kNameShown);
  return text;
}

std::string body_text(const Exchange& exchange, const Exchange& first) {
  const std::string& hash = exchange.request.body_hash;
  const bool has_body = exchange.request.body_bytes > 0 || first.request.body_bytes > 0;
  if (&exchange == &first || !has_body || hash.empty() || first.request.body_hash.empty()) {
    return "";  // of an item of a batch the bytes are not told apart
  }
  return hash == first.request.body_hash ? "  same body" : "  other body";
}

std::string header_of_answer(const Exchange& exchange, std::string_view name) {
  for (const NameValue& header : exchange.answer.headers) {
    if (std::equal(header.name.begin(), header.name.end(), name.begin(), name.end(),
                   [](char a, char b) { return (a | 0x20) == b; })) {
      return header.value;
    }
  }
  return "";
}

std::string status_text(const Attempt& attempt) {
  const Exchange& exchange = *attempt.exchange;
  std::string text = std::to_string(exchange.answer.status);
  const std::string wait = header_of_answer(exchange, "retry-after");
  if (!wait.empty()) text += " Retry-After: " + printable(wait, kNameShown);
  if (exchange.answer.replayed) text += " replayed";
  if (exchange.answer.success && !exchange.answer.healthy) text += " with a spoiled body";
  return text;
}

std::string amount_text(const Exchange& exchange) {
  if (exchange.receipt.bytes_written == 0) return "no byte of an answer";
  return fmt::format("{} of {} bytes of {}", exchange.receipt.bytes_written,
                     exchange.receipt.bytes_planned, exchange.answer.status);
}

std::string loss_text(const Exchange& exchange) {
  switch (exchange.receipt.ending) {
    case Ending::Reset:
      return "RST, " + amount_text(exchange);
    case Ending::Closed:
    case Ending::Finished:
    case Ending::KeptAlive:
      return "FIN, " + amount_text(exchange);
    case Ending::Stalled:
      return "silence, " + amount_text(exchange);
    case Ending::ClientLeft:
      return amount_text(exchange);
    case Ending::Open:
      return amount_text(exchange) + " until the run ended";
    case Ending::Failed:
      return "mishap itself failed, " + amount_text(exchange);
  }
  return "";
}

std::string answer_text(const Attempt& attempt) {
  const Exchange& exchange = *attempt.exchange;
  if (exchange.receipt.delivery != Delivery::Complete) return loss_text(exchange);
  std::string text = status_text(attempt);
  if (exchange.receipt.last_write &&
      *exchange.receipt.last_write - exchange.first_byte >= std::chrono::milliseconds(100)) {
    text += " after " + seconds(*exchange.receipt.last_write - exchange.first_byte);
  }
  if (attempt.result == Result::Abandoned) text += ", when the client was gone";
  return text;
}

}  // namespace

std::string effect_text(const server::Effect& effect) {
  const std::string id = printable(effect.id, kNameShown);
  if (id.empty()) return "took effect";  // an upstream that names nothing
  switch (effect.kind) {
    case EffectKind::Created:
      return "made " + id;
    case EffectKind::Replaced:
      return "replaced " + id;
    case EffectKind::Patched:
      return "changed " + id;
    case EffectKind::Deleted:
      return "deleted " + id;
  }
  return id;
}

std::string request_text(const Attempt& attempt, const Exchange& first,
                         const std::vector<const server::Effect*>& in_time) {
  const Exchange& exchange = *attempt.exchange;
  std::string text = call_text(exchange) + body_text(exchange, first);
  if (attempt.transport_resend) text += "  resent by the transport";
  if (attempt.hedged) text += "  before the last was answered";
  if (attempt.gap) text += "  gap " + seconds(*attempt.gap);
  text += "  -> ";
  for (const auto* effect : in_time) text += effect_text(*effect) + ", ";
  const bool lost = exchange.receipt.delivery != Delivery::Complete;
  if (lost && !in_time.empty()) text += "then ";
  return text + answer_text(attempt);
}

std::string stray_text(const Exchange& exchange) {
  std::string text = call_text(exchange) + fmt::format("  -> {}", exchange.answer.status);
  if (!exchange.note.empty()) text += ", " + printable(exchange.note, kPathShown);
  return text;
}

std::string lookup_text(const Exchange& exchange) {
  std::string text = call_text(exchange) + "  looks for it  -> ";
  if (exchange.receipt.delivery != Delivery::Complete) return text + loss_text(exchange);
  text += std::to_string(exchange.answer.status);
  if (!exchange.answer.success) return text;
  return text + (exchange.found ? ", found" : ", not there");
}

std::string departure_text(const Exchange& exchange, bool owed) {
  const bool reset = exchange.receipt.departure == server::Departure::Rst;
  std::string text = reset ? "connection reset by the client" : "connection closed by the client";
  if (!owed) return text;
  return text + fmt::format(" after {}, an answer still owed",
                            seconds(*exchange.receipt.departed - exchange.first_byte));
}

std::string our_end_text(const Exchange& exchange) {
  return exchange.receipt.ending == Ending::Reset ? "connection reset by the server"
                                                  : "connection closed by the server";
}

std::string signal_text(const server::ClientSignal& signal) {
  if (signal.name == "SIGKILL") return "the scenario kills the client (SIGKILL)";
  return "the scenario sends the client " + signal.name;
}

std::string spell_text(const server::ListenerSpell& spell) {
  if (spell.what == "refused") return "connections are refused";
  if (spell.what == "unanswered") return "connects are not answered";
  return "only so many connections are taken at once";
}

std::string unheard_text(const OutcomeLine& line) {
  return outcome_text(line) + " of " + printable(line.operation, kNameShown) +
         ", of which nothing came";
}

std::string outcome_text(const OutcomeLine& line) {
  std::string text = "client says " + std::string(to_string(line.outcome));
  if (!line.id.empty()) text += " " + printable(line.id, kNameShown);
  return text;
}

}  // namespace mishap::client_tests
