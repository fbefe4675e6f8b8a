#include <algorithm>
#include <array>
#include <utility>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/chunks.h"
#include "server/faults/proof.h"

// A length that is not the length (RFC 9112 section 6.3).
namespace mishap::server {
namespace {

enum class How { TooLong, TooShort, Missing, Invalid, Negative, Huge, Twice, WithChunked };

How how_of(const Params& params) {
  constexpr std::array<std::pair<std::string_view, How>, 8> kWords{
      {{"too_long", How::TooLong},
       {"too_short", How::TooShort},
       {"missing", How::Missing},
       {"invalid", How::Invalid},
       {"negative", How::Negative},
       {"huge", How::Huge},
       {"twice", How::Twice},
       {"with_chunked", How::WithChunked}}};
  const std::string& word = params.text("how");
  return std::find_if(kWords.begin(), kWords.end(),
                      [&](const auto& one) { return one.first == word; })
      ->second;
}

void add(SendAnswer& answer, std::string value) {
  answer.headers.push_back({"Content-Length", std::move(value)});
}

void spoil(SendAnswer& answer, How how, std::uint64_t by) {
  const std::uint64_t size = answer.body_size();
  switch (how) {
    case How::TooLong:
      return add(answer, std::to_string(size + by));
    case How::TooShort:
      return add(answer, std::to_string(size - std::min(size, by)));
    case How::Missing:
      answer.unframed = true;
      return;
    case How::Invalid:
      return add(answer, std::to_string(size) + "x");
    case How::Negative:
      return add(answer, "-" + std::to_string(size));
    case How::Huge:
      return add(answer, "99999999999999999999999");
    case How::Twice:
      add(answer, std::to_string(size));
      return add(answer, std::to_string(size + by));
    case How::WithChunked:
      if (answer.filler) return;
      add(answer, std::to_string(size));
      answer.headers.push_back({"Transfer-Encoding", "chunked"});
      answer.body = in_chunks(answer.body, {});
      return;
  }
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  steps = change_answers(std::move(steps), [&](SendAnswer& answer) {
    spoil(answer, how_of(params), params.bytes("by"));
  });
  return end_with_close(std::move(steps));
}

// All of these end the connection: it cannot be told where the next answer would begin.
Shortfall shortfall(const Proof& proof, const Params&) {
  const Receipt& receipt = proof.exchange.receipt;
  const bool has_length = proof.exchange.request.method == "HEAD";
  if (auto none = no_body_shortfall(proof.exchange); none && !has_length) return none;
  if (auto missing = changed_shortfall(proof.exchange)) return missing;
  if (client_left(proof.exchange)) return std::nullopt;
  const bool closed = receipt.ending == Ending::Closed || receipt.ending == Ending::Finished;
  return closed ? Shortfall() : Shortfall("no FIN was sent");
}

bool harmless(const Params& params, Point) {
  return how_of(params) == How::Missing;
}

}  // namespace

const FaultDescriptor& content_length_fault() {
  static const FaultDescriptor fault{
      .name = "content_length",
      .action = "",
      .summary =
          "The length that the head says is wrong, no number, said twice or not said; then FIN.",
      .stands_for =
          "A proxy that changed the body and not its length, a backend that counts characters, two "
          "layers that each add a field (request smuggling lives from it).",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "too_long",
                  .choices = "too_long|too_short|missing|invalid|negative|huge|twice|with_chunked",
                  .help =
                      "missing: the end of the connection is the end of the body, which is right; "
                      "huge: more than 64 bits; twice: two different lengths; with_chunked: "
                      "a right length beside Transfer-Encoding: chunked"},
                 {.name = "by",
                  .type = ParamType::Bytes,
                  .default_text = "7B",
                  .range = "1B..",
                  .help = "how far too_long, too_short and the second of twice are off"}},
      .points = {Point::ResponseHead},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = harmless,
  };
  return fault;
}

}  // namespace mishap::server
