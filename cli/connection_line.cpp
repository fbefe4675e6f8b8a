#include "cli/connection_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/exchange_line.h"
#include "mishap/printable.h"

namespace mishap::cli {
namespace {

double seconds(Duration instant) {
  return std::chrono::duration<double>(instant).count();
}

bool met_a_rule(const server::Connection& connection) {
  return std::ranges::any_of(connection.rules, &server::RuleHit::fired);
}

std::string tls_text(const server::Connection& connection) {
  const auto& tls = *connection.tls;
  std::string text = "TLS";
  if (!tls.server_name.empty()) text += " for " + tls.server_name;
  if (tls.certificate != "good") text += " with a certificate that is " + tls.certificate;
  if (!tls.failure.empty()) return text + "  -> failed: " + tls.failure;
  if (connection.departure != server::Departure::None) return text + "  -> the client left";
  return text + "  -> not finished";
}

bool failed_in_tls(const server::Connection& connection) {
  return connection.tls && (!connection.tls->finished || !connection.tls->failure.empty());
}

std::string text_of(const server::Connection& connection) {
  if (connection.api.empty()) {
    return "asked the proxy for " + connection.asked_for +
           "  -> turned away, nothing stands in for it";
  }
  if (connection.exchanges != 0) return {};
  if (failed_in_tls(connection)) return tls_text(connection);
  return met_a_rule(connection) ? "connected  -> ended without a request" : "";
}

std::string beginning_of(const server::ListenerSpell& spell) {
  if (!spell.began) return "could not be told to act";
  if (spell.what == "refused") return "refuses connections";
  if (spell.what == "unanswered") return "leaves connects unanswered";
  return "takes only so many connections at once";
}

std::string end_of(const server::ListenerSpell& spell) {
  std::string text = "takes connections again";
  if (spell.dropped != 0) text += fmt::format(", {} connects were dropped", spell.dropped);
  if (spell.most_waiting != 0) text += fmt::format(", up to {} waited", spell.most_waiting);
  return text;
}

}  // namespace

std::string connection_line(const server::Connection& connection) {
  const auto text = text_of(connection);
  if (text.empty()) return {};
  return printable(
      fmt::format("{:>9.3f}  c{}  {}", seconds(connection.accepted), connection.number, text) +
      rules_text(connection.rules));
}

std::string SpellLines::line(const server::ListenerSpell& spell) {
  auto& told = told_[spell.number];
  const bool is_over = spell.ended.has_value();
  if (told == Told::End || (told == Told::Begin && !is_over)) return {};
  const bool begins = told == Told::Nothing;
  told = is_over ? Told::End : Told::Begin;
  auto who = "listener of " + spell.api;
  if (spell.lane != 0) who += fmt::format(" copy {}", spell.lane);
  // Whether it worked is known at its end: until then the kernel has not been seen to do it.
  auto rules = spell.rules;
  if (!is_over) {
    for (auto& rule : rules) rule.delivered = rule.delivered || spell.began.has_value();
  }
  const auto at = is_over ? *spell.ended : spell.began.value_or(Duration{});
  std::string text = begins && !is_over ? beginning_of(spell) : end_of(spell);
  if (begins && is_over) text = beginning_of(spell) + ", and " + text;
  return printable(fmt::format("{:>9.3f}  {}  {}", seconds(at), who, text) + rules_text(rules));
}

}  // namespace mishap::cli
