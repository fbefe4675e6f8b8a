#include <cstddef>
#include <cstdint>
#include <string>

#include "mishap/scenario.h"

// Any text: an answer, never an exception, and what is said about it can be shown. Relative paths
// lead nowhere, so that the fuzzer reads no files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto loaded =
      mishap::scenarios::load_scenario_text("fuzz.yaml", text, "/nowhere/at/all", {});
  for (const auto& diagnostic : loaded.diagnostics) mishap::render(diagnostic);
  if (!loaded.scenario && !mishap::has_errors(loaded.diagnostics)) __builtin_trap();
  return 0;
}
