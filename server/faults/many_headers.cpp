#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// More header fields than anybody expects.
namespace mishap::server {
namespace {

constexpr std::uint64_t kMostBytes = 64 * 1024 * 1024;

std::uint64_t count_of(const Params& params) {
  return static_cast<std::uint64_t>(params.integer("count"));
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const std::string value(params.bytes("size"), 'x');
  for (Step& step : steps) {
    auto* answer = std::get_if<SendAnswer>(&step);
    if (answer == nullptr) continue;
    for (std::uint64_t i = 1; i <= count_of(params); ++i) {
      answer->headers.push_back({"X-Filler-" + std::to_string(i), value});
    }
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_shortfall(proof.exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (count_of(params) * (params.bytes("size") + 20) <= kMostBytes) return;
  diagnostics.push_back(
      {Severity::Error, "fault \"many_headers\": these are more than 64 MiB in all", span});
}

}  // namespace

const FaultDescriptor& many_headers_fault() {
  static const FaultDescriptor fault{
      .name = "many_headers",
      .action = "",
      .summary =
          "The answer is right, with thousands of further fields in its head, or one that is huge.",
      .stands_for =
          "A gateway that adds a field at every hop, a cookie that grew, a debug mode left on; "
          "many "
          "clients stop at 8 or 64 KiB or at 100 fields.",
      .since = "0.1",
      .params = {{.name = "count",
                  .type = ParamType::Integer,
                  .default_text = "2000",
                  .range = "1..1000000",
                  .help = "fields X-Filler-1, X-Filler-2 ..."},
                 {.name = "size",
                  .type = ParamType::Bytes,
                  .default_text = "32B",
                  .range = "0B..16MiB",
                  .help = "of each value; 64 MiB in all at most"}},
      .points = {Point::ResponseHead},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
