#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/compression.h"
#include "server/faults/proof.h"

// A content coding (RFC 9110 section 8.4) that holds what it says, or not.
namespace mishap::server {
namespace {

constexpr std::uint64_t kBlock = 1024 * 1024;

void set_body(SendAnswer& answer, const Params& params) {
  const std::string& how = params.text("how");
  if (how == "not_gzip") return;
  if (how == "bomb") {
    GzipOfZeros bomb = gzip_of_zeros(kBlock, params.bytes("size") / kBlock);
    answer.body = std::move(bomb.head);
    answer.filler = Filler{std::move(bomb.block), bomb.times, std::move(bomb.tail)};
    return;
  }
  answer.body = gzip(answer.body);
  if (how == "truncated") answer.body.resize(answer.body.size() / 2);
  // The check sum, which stands before the length in the last eight bytes (RFC 1952 section 2.3).
  if (how == "corrupt") answer.body[answer.body.size() - 8] ^= '\x55';
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    if (answer.filler) return;
    set_body(answer, params);
    set_field(answer.headers, "Content-Encoding", "gzip");
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_body_shortfall(proof.exchange);
}

bool harmless(const Params& params, Point) {
  return params.text("how") == "right";
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (params.text("how") != "bomb" || params.bytes("size") >= kBlock) return;
  diagnostics.push_back({Severity::Error, "fault \"gzip\": a bomb has 1MiB at least", span});
}

}  // namespace

const FaultDescriptor& gzip_fault() {
  static const FaultDescriptor fault{
      .name = "gzip",
      .action = "",
      .summary =
          "The body is compressed, whether the client asked for it or not; rightly, broken, or a "
          "bomb.",
      .stands_for =
          "A CDN that compresses for everybody, a cache that stored half of it, a proxy that set "
          "the "
          "field and left the body, an attack.",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "corrupt",
                  .choices = "right|corrupt|truncated|not_gzip|bomb",
                  .help = "corrupt: its check sum is wrong; truncated: half of it, its length is "
                          "right; not_gzip: "
                          "only the field is there; bomb: zeros without an end in sight"},
                 {.name = "size",
                  .type = ParamType::Bytes,
                  .default_text = "1GiB",
                  .range = "1MiB..",
                  .help = "of a bomb when it is unpacked, in whole MiB"}},
      .points = {Point::ResponseBody, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .harmless = harmless,
  };
  return fault;
}

}  // namespace mishap::server
