#include <string>

#include "cmake/fuzz/fuzz.h"
#include "mishap/known.h"
#include "mishap/project.h"

// mishap.yaml and the list of known findings: either something is wrong and can be shown, or it is
// read; a list that is written is read as it was.
namespace mishap::scenarios {
namespace {

using fuzz::hold;

void show(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    hold(!render(diagnostic).empty(), "what is wrong can be shown");
  }
}

void check_known(const std::string& text) {
  const LoadedKnown loaded = load_known_text("known.yaml", text);
  show(loaded.diagnostics);
  for (const KnownFinding& known : loaded.known) {
    hold(is_day(known.until), "a last day is a day");
    if (known.until > "9999") continue;
    hold(is_day(day_after(known.until, 30)), "and so is one after it");
    hold(day_after(day_after(known.until, 30), -30) == known.until, "days are counted alike");
    hold(matches_glob("*", known.scenario), "a star means every name");
  }
  const std::string written = known_file_text(loaded.known);
  const LoadedKnown again = load_known_text("known.yaml", written);
  hold(again.known.size() == loaded.known.size() && !has_errors(again.diagnostics),
       "a list that was written is read");
  hold(known_file_text(again.known) == written, "and read as it was");
}

void check_project(const std::string& text) {
  const LoadedProject loaded = load_project_text("mishap.yaml", text, "nowhere");
  show(loaded.diagnostics);
  hold(loaded.project.has_value() == !has_errors(loaded.diagnostics),
       "there is a project or an error");
  if (loaded.project) show(unknown_params(*loaded.project, {"times", "create"}));
}

}  // namespace
}  // namespace mishap::scenarios

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(mishap::fuzz::text_of(data, size));
  mishap::scenarios::check_known(text);
  mishap::scenarios::check_project(text);
  return 0;
}
