#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A server that takes a request's body a little at a time.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext&) {
  for (Step& step : steps) {
    auto* read = std::get_if<ReadBody>(&step);
    if (read == nullptr) continue;
    read->slice = params.bytes("slice");
    read->gap = params.duration("gap");
  }
  return steps;
}

// From the first slice to the last; the first is read at once.
Duration least(std::uint64_t bytes, const Params& params) {
  const std::uint64_t slice = params.bytes("slice");
  const std::uint64_t gaps = bytes == 0 ? 0 : (bytes - 1) / slice;
  return params.duration("gap") * static_cast<Duration::rep>(gaps);
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  const std::uint64_t bytes = exchange.request.body_bytes;
  if (!exchange.request_read) {
    if (client_left(exchange)) return std::nullopt;
    if (exchange.receipt.ending == Ending::Open) return std::nullopt;  // it was still reading
    return "the body was not read to its end";
  }
  if (bytes <= params.bytes("slice")) return "the body fits into one slice";
  return wait_shortfall(exchange, exchange.head_read, exchange.request_read, least(bytes, params),
                        "the end of the request");
}

}  // namespace

const FaultDescriptor& slow_read_fault() {
  static const FaultDescriptor fault{
      .name = "slow_read",
      .action = "bandwidth",
      .summary = "The request's body is read in small slices with a gap before each.",
      .stands_for = "A starved worker, a proxy that scans uploads, a congested line to the vendor.",
      .since = "0.1",
      .params = {{.name = "slice",
                  .type = ParamType::Bytes,
                  .default_text = "1B",
                  .range = "1B..",
                  .help = "bytes at a time"},
                 {.name = "gap",
                  .type = ParamType::Duration,
                  .default_text = "1s",
                  .range = "1ms..",
                  .help =
                      "from one slice to the next. The system's own buffers take megabytes: the "
                      "client's write of a small body never blocks, only its answer is late. "
                      "Where it leaves meanwhile nothing takes effect"}},
      .points = {Point::RequestBody},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
