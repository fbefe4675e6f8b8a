#include "server/plan/step.h"

#include <algorithm>
#include <array>

namespace mishap::server {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 7> kCertificates = {
    "good",       "self_signed",      "expired",   "not_yet_valid",
    "wrong_name", "incomplete_chain", "unknown_ca"};

struct NameOf {
  std::string_view operator()(const Handshake&) const { return "handshake"; }
  std::string_view operator()(const ReadBody&) const { return "read_body"; }
  std::string_view operator()(const Wait&) const { return "wait"; }
  std::string_view operator()(const WaitForEvent&) const { return "wait_for_event"; }
  std::string_view operator()(const Apply&) const { return "apply"; }
  std::string_view operator()(const SendAnswer&) const { return "send_answer"; }
  std::string_view operator()(const Send&) const { return "send"; }
  std::string_view operator()(const SendMany&) const { return "send_many"; }
  std::string_view operator()(const AwaitAcknowledged&) const { return "await_acknowledged"; }
  std::string_view operator()(const Drain&) const { return "drain"; }
  std::string_view operator()(const CloseConnection&) const { return "close_connection"; }
  std::string_view operator()(const ResetConnection&) const { return "reset_connection"; }
  std::string_view operator()(const Stall&) const { return "stall"; }
  std::string_view operator()(const SignalClient&) const { return "signal_client"; }
  std::string_view operator()(const Finish&) const { return "finish"; }
};

}  // namespace

std::string_view name_of(const Step& step) {
  return std::visit(NameOf{}, step);
}

bool is_answered_early(const Steps& steps) {
  const auto is_effect = [](const Step& step) { return std::holds_alternative<Apply>(step); };
  const auto is_answer = [](const Step& step) {
    const auto* send = std::get_if<Send>(&step);
    return std::holds_alternative<SendAnswer>(step) ||
           (send != nullptr && send->part == Part::Head);
  };
  return std::none_of(steps.begin(), steps.end(), is_effect) &&
         std::any_of(steps.begin(), steps.end(), is_answer);
}

std::string_view to_string(Certificate certificate) {
  return kCertificates.at(static_cast<std::size_t>(certificate));
}

std::optional<Certificate> certificate_named(std::string_view name) {
  const auto* found = std::find(kCertificates.begin(), kCertificates.end(), name);
  if (found == kCertificates.end()) return std::nullopt;
  return static_cast<Certificate>(found - kCertificates.begin());
}

std::uint64_t bytes_before(const Position& place, std::uint64_t total) {
  const double share = place.share.value_or(0) * static_cast<double>(total);
  return std::min(place.share ? static_cast<std::uint64_t>(share) : place.bytes, total);
}

}  // namespace mishap::server
