#include "cmake/fuzz/fuzz.h"
#include "mishap/journal.h"

// A stored journal: it is refused with its line, or read; what is written of it reads as the same.
namespace mishap::server {
namespace {

using fuzz::hold;

void check(std::string_view text) {
  const auto journal = parse_json_lines(text);
  if (!journal) {
    hold(journal.error().code == ErrorCode::BadInput, "what is wrong is the file");
    hold(journal.error().message.starts_with("journal, line "), "and its line is told");
    hold(!render(journal.error()).empty(), "and it can be shown");
    return;
  }
  const std::string written = to_json_lines(*journal);
  const auto again = parse_json_lines(written);
  hold(again.has_value(), "a journal that was written is read");
  hold(to_json_lines(*again) == written, "and read as it was");
  hold(again->exchanges.size() == journal->exchanges.size() &&
           again->connections.size() == journal->connections.size() &&
           again->effects.size() == journal->effects.size(),
       "with all its records");
}

}  // namespace
}  // namespace mishap::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::server::check(mishap::fuzz::text_of(data, size));
  return 0;
}
