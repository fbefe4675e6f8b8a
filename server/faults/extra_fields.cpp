#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// What a vendor says beside its answer.
namespace mishap::server {
namespace {

std::vector<NameValue> fields_of(const Params& params) {
  if (params.has("fields")) return params.fields("fields");
  return {{"Deprecation", "@1688169599"}};  // RFC 9745 section 2.1
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  for (Step& step : steps) {
    auto* answer = std::get_if<SendAnswer>(&step);
    if (answer == nullptr) continue;
    for (const NameValue& field : fields_of(params)) answer->headers.push_back(field);
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_shortfall(proof.exchange);
}

// They say how long the body is, or in what form it comes: those are other faults.
bool is_framing(std::string_view name) {
  for (const std::string_view framing :
       {"Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection", "Trailer"}) {
    if (is_same_field(name, framing)) return true;
  }
  return false;
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  validate_fields(fields_of(params), "fault \"extra_fields\"", span, diagnostics);
  for (const NameValue& field : fields_of(params)) {
    if (!is_framing(field.name)) continue;
    diagnostics.push_back({Severity::Error,
                           "fault \"extra_fields\": " + field.name +
                               " changes what the answer means; see content_length, chunked, gzip "
                               "and hold_open",
                           span});
  }
}

}  // namespace

const FaultDescriptor& extra_fields_fault() {
  static const FaultDescriptor fault{
      .name = "extra_fields",
      .action = "",
      .summary = "The answer is right, with fields in its head that you choose.",
      .stands_for =
          "A quota that is told with every answer (RateLimit), a version that will be taken away "
          "(Deprecation, Sunset), a gateway that adds what it likes.",
      .since = "0.1",
      .params = {{.name = "fields",
                  .type = ParamType::Fields,
                  .help = "fields behind the vendor's own, a Deprecation where not said; a list of "
                          "texts repeats a field"}},
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
