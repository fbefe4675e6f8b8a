#include <charconv>

#include "server/faults/catalog.h"
#include "server/faults/cut.h"
#include "server/faults/proof.h"

// Something that is not HTTP.
namespace mishap::server {
namespace {

CutBy ending_of(const Params& params) {
  const std::string& then = params.text("then");
  if (then == "rst") return CutBy::Rst;
  return then == "stall" ? CutBy::Stall : CutBy::Fin;
}

std::optional<std::string> from_hex(std::string_view digits) {
  std::string bytes;
  if (digits.empty() || digits.size() % 2 != 0) return std::nullopt;
  for (; !digits.empty(); digits.remove_prefix(2)) {
    unsigned value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + 2, value, 16);
    if (read.ec != std::errc() || read.ptr != digits.data() + 2) return std::nullopt;
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string bytes_of(const Params& params) {
  if (!params.has("hex")) return params.text("bytes");
  return from_hex(params.text("hex")).value_or("");
}

Part part_at(Point point) {
  return point == Point::ResponseHead ? Part::Head : Part::Body;
}

Position place_of(const Params& params) {
  return params.has("after") ? params.position("after") : Position{};
}

// In the place of what a cut leaves out; where it leaves nothing out, nothing is done.
Steps plan(Steps steps, const Params& params, FaultContext& context) {
  Steps spoilt = cut(steps, context.point, place_of(params), CutBy::Stall);
  if (spoilt.empty() || !std::holds_alternative<Stall>(spoilt.back())) return steps;
  spoilt.back() = Send{part_at(context.point), bytes_of(params), 0, {}};
  return end_with(std::move(spoilt), ending_of(params));
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  if (!exchange.answer.changed) return "the answer went out as the well vendor gives it";
  if (client_left(exchange)) return std::nullopt;
  if (exchange.receipt.bytes_written < exchange.receipt.bytes_planned)
    return "fewer bytes went out than scripted";
  return ending_shortfall(exchange.receipt, ending_of(params));
}

void validate(const Params& params, Point point, const SourceSpan& span, Diagnostics& diagnostics) {
  validate_cut_place(params, point, span, diagnostics);
  if (!params.has("hex") || from_hex(params.text("hex"))) return;
  diagnostics.push_back(
      {Severity::Error, "fault \"garbage\": hex wants pairs of 0-9 and a-f, as 15030300", span});
}

}  // namespace

const FaultDescriptor& garbage_fault() {
  static const FaultDescriptor fault{
      .name = "garbage",
      .action = "garbage",
      .summary = "Bytes that are no HTTP take the place of the answer, or of the rest of it.",
      .stands_for =
          "Another service on the port, a TLS record on a plain port, a memory fault, a line that "
          "flips bits behind a wrong checksum.",
      .since = "0.1",
      .params = {{.name = "bytes",
                  .type = ParamType::Text,
                  .default_text = "SSH-2.0-OpenSSH_9.2",
                  .help = "as text"},
                 {.name = "hex",
                  .type = ParamType::Text,
                  .help = "instead of bytes: as hexadecimal digits, as 15030300020228"},
                 {.name = "after",
                  .type = ParamType::Position,
                  .range = "0%..100%",
                  .help = "how much of the head (at response_head) or of the body (at "
                          "response_body) goes out "
                          "before, or behind which part of it; none of it where not said"},
                 {.name = "then",
                  .type = ParamType::Choice,
                  .default_text = "fin",
                  .choices = "fin|rst|stall",
                  .help = "how it ends: FIN, RST, or silence"}},
      .points = {Point::ResponseHead, Point::ResponseBody},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
  };
  return fault;
}

}  // namespace mishap::server
