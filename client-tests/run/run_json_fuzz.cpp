#include "client-tests/run/run_json.h"
#include "client-tests/run/sample_lines.h"

#include "cmake/fuzz/fuzz.h"

// The files of a stored run: each is refused with its place, or read; what is written of it reads
// as the same.
namespace mishap::client_tests {
namespace {

using fuzz::hold;

template <typename T>
void check(const tl::expected<T, BadText>& read,
           tl::expected<T, BadText> (*reader)(std::string_view)) {
  if (!read) {
    hold(!read.error().what.empty(), "what is wrong is said");
    hold(read.error().line >= 0 && read.error().column >= 0, "a place counts upwards");
    return;
  }
  const std::string written = to_json(*read);
  const auto again = reader(written);
  hold(again.has_value(), "what was written is read");
  hold(to_json(*again) == written, "and read as it was");
}

void check_outcomes(std::string_view text) {
  const auto outcomes = read_outcomes(text);
  if (!outcomes) return hold(outcomes.error().line > 0, "the line is told");
  const std::string written = to_json_lines(*outcomes);
  const auto again = read_outcomes(written);
  hold(again.has_value() && again->size() == outcomes->size(), "outcomes are read as written");
  hold(to_json_lines(*again) == written, "and read as they were");
}

void check_samples(std::string_view text) {
  std::vector<ProcessFacts> processes(3);
  const auto read = read_sample_lines(text, processes);
  if (!read) return hold(read.error().line > 0, "the line is told");
  std::vector<ProcessFacts> again(processes.size());
  hold(read_sample_lines(to_sample_lines(processes), again).has_value(),
       "what was written is read");
  hold(to_sample_lines(again) == to_sample_lines(processes), "and read as it was");
}

}  // namespace
}  // namespace mishap::client_tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mishap::client_tests;
  const auto text = mishap::fuzz::text_of(data, size);
  check(read_recording(text), &read_recording);
  check(read_suite_index(text), &read_suite_index);
  check_outcomes(text);
  check_samples(text);
  read_verdict(text);
  return 0;
}
