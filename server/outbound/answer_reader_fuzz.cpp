#include "server/outbound/answer_reader.h"

#include <fmt/format.h>

#include "cmake/fuzz/fuzz.h"

// Bytes of an upstream: however they are cut, the same answer is read or none is, and its body
// stays within the limit.
namespace mishap::server {
namespace {

using fuzz::Cut;
using fuzz::hold;
using State = AnswerReader::State;

constexpr AnswerReader::Limits kLimits = {.head = 512, .body = 100};

// What is wrong may be seen at once, or only when the head or the connection ends: when is no part
// of the answer.
struct Reading {
  State state = State::More;
  std::string answer;
  bool operator==(const Reading&) const = default;
};

std::string told(const UpstreamAnswer& answer) {
  std::string text = fmt::format("{} {}", answer.status, answer.reason);
  for (const NameValue& field : answer.headers) text += "\n" + field.name + ":" + field.value;
  return text + "\n\n" + answer.body;
}

Reading read(std::string_view text, Cut cut, bool to_head) {
  AnswerReader reader(to_head, kLimits);
  Reading reading;
  fuzz::feed(text, cut, [&](std::string_view piece) {
    if (reading.state == State::More) reading.state = reader.feed(piece);
  });
  if (reading.state == State::More) reading.state = reader.end();
  hold(reading.state != State::More, "the end of the connection is an end");
  hold(reader.complaint().empty() == (reading.state != State::Wrong), "what is wrong is said");
  if (reading.state == State::Wrong) return reading;
  const UpstreamAnswer answer = reader.take();
  hold(answer.status >= 200 && answer.status <= 999, "a final answer has a final status");
  hold(answer.body.size() <= kLimits.body, "a body is within its limit");
  hold(!to_head || answer.body.empty(), "the answer to a HEAD has no body");
  reading.answer = told(answer);
  return reading;
}

void check(std::string_view text) {
  for (const bool to_head : {false, true}) {
    const Reading whole = read(text, Cut::Whole, to_head);
    for (const Cut cut : {Cut::Pieces, Cut::Bytes}) {
      hold(read(text, cut, to_head) == whole, "every cut gives the same answer");
    }
  }
}

}  // namespace
}  // namespace mishap::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::server::check(mishap::fuzz::text_of(data, size));
  return 0;
}
