#pragma once

#include <string>
#include <vector>

#include "mishap/scenario.h"

// For the tests of the parser: short ways to load a text and to see what was said about it.
namespace mishap::scenarios::testing {

inline std::string with_head(const std::string& rest) {
  return "mishap: 1\nscenario: t\n" + rest;
}

inline Loaded load(const std::string& rest, const LoadOptions& options = {}) {
  return load_scenario_text("t.yaml", with_head(rest), "", options);
}

// "line:column message" of each diagnostic; a warning begins with "warning".
inline std::vector<std::string> said(const Loaded& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& one : loaded.diagnostics) {
    const std::string grade = one.severity == Severity::Warning ? "warning " : "";
    out.push_back(grade + std::to_string(one.span.line) + ":" + std::to_string(one.span.column) +
                  " " + one.message);
  }
  return out;
}

inline std::vector<std::string> said_about(const std::string& rest,
                                           const LoadOptions& options = {}) {
  return said(load(rest, options));
}

}  // namespace mishap::scenarios::testing
