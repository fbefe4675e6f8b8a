#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// Always a little, never enough: each read succeeds, so a timeout per read never fires.
namespace mishap::server {
namespace {

bool is_dribbled(Part part, Point point) {
  return part == Part::Body || (part == Part::Head && point == Point::ResponseHead);
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  for (Step& step : steps) {
    auto* send = std::get_if<Send>(&step);
    if (send == nullptr || !is_dribbled(send->part, context.point)) continue;
    send->slice = params.bytes("slice");
    send->gap = params.duration("gap");
  }
  return steps;
}

std::uint64_t slices(std::uint64_t bytes, std::uint64_t slice) {
  return bytes / slice + (bytes % slice != 0 ? 1 : 0);
}

// The gaps that lie between the first and the last write. The head and the body are cut into slices
// each for itself, and between them there is none.
std::uint64_t gaps(const Proof& proof, const Params& params) {
  const std::uint64_t slice = params.bytes("slice");
  const std::uint64_t body = proof.exchange.answer.body_bytes;
  const std::uint64_t written = proof.exchange.receipt.bytes_written;
  if (proof.point == Point::ResponseBody) {
    const std::uint64_t count = slices(std::min(body, written), slice);
    return count == 0 ? 0 : count - 1;
  }
  const std::uint64_t count = slices(written, slice);
  return count < 2 ? 0 : std::max<std::uint64_t>(count - 2, 1);
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  const Receipt& receipt = exchange.receipt;
  if (!receipt.first_write || !receipt.last_write) return "not a byte of the answer went out";
  const bool whole = receipt.bytes_written == receipt.bytes_planned;
  if (!whole) return client_left(exchange) ? Shortfall() : Shortfall("the answer broke off");
  const std::uint64_t least = gaps(proof, params);
  if (least == 0) return "the answer fits into one slice";
  // The schedule counts from just before the first write, so that one may be a moment late.
  const Duration gap = params.duration("gap");
  const Duration span = gap * static_cast<Duration::rep>(least) - gap / 2;
  return wait_shortfall(exchange, receipt.first_write, receipt.last_write, span, "the last slice");
}

}  // namespace

const FaultDescriptor& dribble_fault() {
  static const FaultDescriptor fault{
      .name = "dribble",
      .action = "slice",
      .summary = "The answer comes in small slices with a gap before each.",
      .stands_for =
          "A congested or lossy line, a starved backend that streams row by row, a slow "
          "mobile network.",
      .since = "0.1",
      .params = {{.name = "slice",
                  .type = ParamType::Bytes,
                  .default_text = "1B",
                  .range = "1B..",
                  .help = "bytes at a time"},
                 {.name = "gap",
                  .type = ParamType::Duration,
                  .default_text = "200ms",
                  .range = "1ms..",
                  .help = "from one slice to the next"}},
      .points = {Point::ResponseBody, Point::ResponseHead},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
