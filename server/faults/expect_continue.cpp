#include <algorithm>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// The 100 (Continue) that a client asked for before it sends its body (RFC 9110 section 10.1.1).
namespace mishap::server {
namespace {

bool is_invitation(const Step& step) {
  const auto* send = std::get_if<Send>(&step);
  return send != nullptr && send->part == Part::Interim;
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const auto invitation = std::find_if(steps.begin(), steps.end(), is_invitation);
  if (invitation == steps.end()) return steps;
  if (params.text("how") == "never") {
    steps.erase(invitation);
  } else {
    steps.insert(invitation, static_cast<std::size_t>(params.integer("count")) - 1, *invitation);
  }
  return steps;
}

constexpr std::string_view kOne = "HTTP/1.1 100 Continue\r\n\r\n";

bool asked_first(const Exchange& exchange) {
  return std::any_of(exchange.request.headers.begin(), exchange.request.headers.end(),
                     [](const KeptField& field) { return is_same_field(field.name, "Expect"); });
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  if (!asked_first(exchange)) return "the request did not ask for a 100";
  const std::uint64_t sent = exchange.receipt.interim_bytes;
  if (params.text("how") == "never") return sent == 0 ? Shortfall() : Shortfall("a 100 was sent");
  const auto least = static_cast<std::uint64_t>(params.integer("count")) * kOne.size();
  if (sent >= least || client_left(exchange)) return std::nullopt;
  return "fewer 100 went out than scripted";
}

}  // namespace

const FaultDescriptor& expect_continue_fault() {
  static const FaultDescriptor fault{
      .name = "expect_continue",
      .action = "",
      .summary = "A client that asks before it sends its body gets no 100 (Continue), or several.",
      .stands_for =
          "A proxy that swallows the 100, an old server that never sends one, a chain in which two "
          "send one each.",
      .since = "0.1",
      .params =
          {{.name = "how",
            .type = ParamType::Choice,
            .default_text = "never",
            .choices = "never|repeated",
            .help =
                "never: the client must go on after a while by itself; repeated: `count` of them"},
           {.name = "count",
            .type = ParamType::Integer,
            .default_text = "3",
            .range = "1..1000",
            .help = "of repeated"}},
      .points = {Point::RequestHead},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,  // the request goes on either way
  };
  return fault;
}

}  // namespace mishap::server
