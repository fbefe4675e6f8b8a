#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// An answer that does not fit.
namespace mishap::server {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr std::string_view kMember = "\"filler\":\"";

// One member more in front of the others, where the body is a JSON object.
void fill(SendAnswer& answer, std::uint64_t size) {
  const bool is_object = answer.body.starts_with('{') && answer.body.size() >= 2;
  std::string rest =
      is_object ? "\"" + std::string(answer.body == "{}" ? "" : ",") + answer.body.substr(1) : "";
  const std::string begin = is_object ? "{" + std::string(kMember) : answer.body;
  answer.body = begin + std::string(size % kBlock, 'x');
  answer.filler = Filler{std::string(kBlock, 'x'), size / kBlock, std::move(rest)};
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    if (!answer.filler) fill(answer, params.bytes("size"));
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_body_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& large_body_fault() {
  static const FaultDescriptor fault{
      .name = "large_body",
      .action = "",
      .summary =
          "The answer is right and very long: one member more holds as much text as is asked for.",
      .stands_for =
          "A list without pagination, an export, a field somebody stored a file in, an attack on "
          "the "
          "memory of its readers.",
      .since = "0.1",
      .params = {{.name = "size",
                  .type = ParamType::Bytes,
                  .default_text = "1GiB",
                  .range = "1B..",
                  .help = "of the text; it is made as it goes out"}},
      .points = {Point::ResponseBody, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
