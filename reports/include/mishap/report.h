#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/verdict.h"

namespace mishap::reports {

struct RenderOptions {
  bool colour = false;
  int width = 100;         // columns; at least 40
  std::string run_folder;  // printed as where the evidence is; empty: not
};

// Pure functions of the verdict and what it was judged from: equal input, equal bytes. Text that
// came from a server or a client is shown with its control bytes escaped in every format.

// What the console says, in the order in which it comes to be known: the control, one line for each
// scenario as it ends (without newline), and all that is said when the last has ended.
std::string console_control(const client_tests::Recording& control, const RenderOptions& options);
std::string console_line(const client_tests::CaseVerdict& verdict, const RenderOptions& options);
std::string console_end(const client_tests::SuiteVerdict& verdict, const client_tests::Suite& suite,
                        const RenderOptions& options);

struct Format {
  std::string_view name;       // "json"
  std::string_view file_name;  // "report.json"
  std::string_view summary;
  std::string_view since;
  std::string (*render)(const client_tests::SuiteVerdict& verdict, const client_tests::Suite& suite,
                        const RenderOptions& options);
};
const std::vector<Format>& formats();
const Format* find_format(std::string_view name);

// The published schema of the json format.
std::string json_report_schema();

}  // namespace mishap::reports
