#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/load.h"

namespace mishap::cli {

int run_lint(const LintArguments& arguments) {
  const auto names = scenarios::resolve_targets(arguments.files);
  if (!names) {
    std::cerr << render(names.error());
    return kExitUsage;
  }
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const auto& name : *names) {
    for (const auto& diagnostic : file_diagnostics(name, arguments.load)) {
      std::cout << render(diagnostic);
      ++(diagnostic.severity == Severity::Error ? errors : warnings);
    }
  }
  std::cout << errors << (errors == 1 ? " error, " : " errors, ") << warnings
            << (warnings == 1 ? " warning" : " warnings") << " in " << names->size()
            << (names->size() == 1 ? " file\n" : " files\n");
  return errors == 0 ? kExitPass : kExitUsage;
}

}  // namespace mishap::cli
