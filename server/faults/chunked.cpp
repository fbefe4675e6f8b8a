#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/chunks.h"
#include "server/faults/proof.h"

// An answer whose length nobody knows when it begins.
namespace mishap::server {
namespace {

ChunkMistake mistake_of(const Params& params) {
  const std::string& how = params.text("how");
  if (how == "bad_size") return ChunkMistake::BadSize;
  if (how == "huge_size") return ChunkMistake::HugeSize;
  if (how == "short_size") return ChunkMistake::ShortSize;
  if (how == "no_line_end") return ChunkMistake::NoLineEnd;
  return how == "no_last_chunk" ? ChunkMistake::NoLastChunk : ChunkMistake::None;
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const ChunkMistake mistake = mistake_of(params);
  Chunking chunking{
      params.bytes("size"), mistake, static_cast<std::uint64_t>(params.integer("chunk")), {}};
  if (params.has("trailers")) chunking.trailers = params.fields("trailers");
  steps = change_answers(std::move(steps), [&](SendAnswer& answer) {
    if (answer.filler) return;
    set_field(answer.headers, "Transfer-Encoding", "chunked");
    answer.body = in_chunks(answer.body, chunking);
  });
  return mistake == ChunkMistake::None ? steps : end_with_close(std::move(steps));
}

Shortfall shortfall(const Proof& proof, const Params&) {
  if (!has_field(proof.exchange.answer.headers, "Transfer-Encoding")) {
    return "the answer has no body that could be sent in chunks";
  }
  return answer_shortfall(proof.exchange);
}

bool harmless(const Params& params, Point) {
  return mistake_of(params) == ChunkMistake::None;
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (params.has("trailers"))
    validate_fields(params.fields("trailers"), "fault \"chunked\"", span, diagnostics);
}

}  // namespace

const FaultDescriptor& chunked_fault() {
  static const FaultDescriptor fault{
      .name = "chunked",
      .action = "",
      .summary =
          "The answer comes in chunks instead of with a Content-Length, rightly coded or not.",
      .stands_for =
          "A backend that streams, a gateway that compresses; wrongly coded: a worker that died, a "
          "proxy that broke the coding.",
      .since = "0.1",
      .params = {{.name = "size",
                  .type = ParamType::Bytes,
                  .default_text = "16B",
                  .range = "1B..",
                  .help = "of each chunk but the last"},
                 {.name = "trailers",
                  .type = ParamType::Fields,
                  .help = "fields behind the last chunk"},
                 {.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "right",
                  .choices = "right|bad_size|huge_size|short_size|no_line_end|no_last_chunk",
                  .help = "bad_size: no hexadecimal number; huge_size: more than 64 bits; "
                          "short_size: one byte less than comes; "
                          "no_line_end: no CRLF behind the data; no_last_chunk: the connection "
                          "ends without it. All but right end with FIN"},
                 {.name = "chunk",
                  .type = ParamType::Integer,
                  .default_text = "1",
                  .range = "1..",
                  .help = "which chunk is wrong; the last one where there are fewer"}},
      .points = {Point::ResponseHead},
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
