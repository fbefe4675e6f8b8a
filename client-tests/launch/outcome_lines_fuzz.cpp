#include "client-tests/launch/outcome_lines.h"

#include "cmake/fuzz/fuzz.h"

// What a client writes of its outcomes: however the bytes arrive, the same is read and the same is
// complained of; no secret of the client's stands in what is kept of its words.
namespace mishap::client_tests {
namespace {

using fuzz::Cut;
using fuzz::hold;

const std::string kSecret = "QWERTZ";

void check_line(const OutcomeLine& line) {
  hold(!line.operation.empty(), "an outcome names its operation");
  hold(line.attempts.value_or(0) >= 0, "attempts are counted from zero");
  hold(line.error.find(kSecret) == std::string::npos, "an error shows no secret");
  hold(line.category.find(kSecret) == std::string::npos, "a category shows no secret");
  hold(line.as_of.value_or("").find(kSecret) == std::string::npos, "an age shows no secret");
}

std::string told(const OutcomeLine& line) {
  std::string text = line.operation + "|" + std::to_string(static_cast<int>(line.outcome));
  text += "|" + line.id + "|" + line.category + "|" + line.error + "|" + line.as_of.value_or("");
  if (line.attempts) text += "|" + std::to_string(*line.attempts);
  if (line.duration_ms) text += "|" + std::to_string(*line.duration_ms);
  return text;
}

std::vector<std::string> read(std::string_view text, Cut cut) {
  OutcomeLines lines(0, {kSecret});
  fuzz::feed(text, cut, [&](std::string_view piece) { lines.take(piece, Duration(1)); });
  lines.finish(Duration(2));
  std::vector<std::string> all;
  for (const OutcomeLine& line : lines.outcomes) {
    check_line(line);
    all.push_back(told(line));
  }
  hold(lines.bad_lines.size() <= OutcomeLines::kMostBad + 1, "complaints are bounded");
  for (const std::string& line : lines.bad_lines) {
    hold(line.find(kSecret) == std::string::npos, "a complaint shows no secret");
    all.push_back(line);
  }
  all.insert(all.end(), lines.notes.begin(), lines.notes.end());
  return all;
}

void check(std::string_view text) {
  const auto whole = read(text, Cut::Whole);
  for (const Cut cut : {Cut::Pieces, Cut::Bytes}) {
    hold(read(text, cut) == whole, "every cut gives the same outcomes");
  }
}

}  // namespace
}  // namespace mishap::client_tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::client_tests::check(mishap::fuzz::text_of(data, size));
  return 0;
}
