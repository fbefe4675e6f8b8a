#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "mishap/nearest_word.h"
#include "mishap/report.h"
#include "mishap/verdict.h"

// `judge` and `report`: stored runs, read again.
namespace mishap::cli {
namespace {

const reports::Format* format_of(const std::string& name) {
  const auto* format = reports::find_format(name);
  if (format == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : reports::formats()) names.emplace_back(one.name);
    std::cerr << unknown_word("report format", name, names) << "\n";
  }
  return format;
}

std::string stored_verdict(const std::string& run) {
  std::ifstream file(std::filesystem::path(run) / "verdict.json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Fail before inconclusive before pass; a run that cannot be read comes before all of them.
int worse(int a, int b) {
  const auto rank = [](int code) {
    switch (code) {
      case kExitPass:
        return 0;
      case kExitInconclusive:
        return 1;
      case kExitFail:
        return 2;
      default:
        return 3;
    }
  };
  return rank(a) >= rank(b) ? a : b;
}

bool put(const std::string& text, const std::string& output) {
  if (output.empty()) {
    std::cout << text << std::flush;
    return std::cout.good();
  }
  std::ofstream file(output, std::ios::binary | std::ios::app);
  file << text << std::flush;
  return file.good();
}

template <typename AfterRun>
int render_runs(const ReportArguments& arguments, AfterRun after_run) {
  const auto* format = format_of(arguments.format);
  if (format == nullptr) return kExitUsage;
  if (!arguments.output.empty()) std::ofstream(arguments.output, std::ios::trunc);
  int code = kExitPass;
  for (const auto& run : arguments.runs) {
    const auto suite = client_tests::load_suite(run);
    if (!suite) {
      std::cerr << render(suite.error());
      code = worse(code, kExitUsage);
      continue;
    }
    const auto verdict = client_tests::judge(*suite);
    if (!put(format->render(verdict, *suite, {}), arguments.output)) {
      std::cerr << "cannot write " << arguments.output << "\n";
      return kExitInternal;
    }
    code = worse(code, after_run(run, *suite, verdict));
  }
  return code;
}

}  // namespace

int run_judge(const ReportArguments& arguments) {
  return render_runs(arguments, [](const std::string& run, const client_tests::Suite& suite,
                                   const client_tests::SuiteVerdict& verdict) {
    const auto before = stored_verdict(run);
    const auto now = reports::find_format("json")->render(verdict, suite, {});
    if (!before.empty() && before != now) {
      std::cerr << run
                << ": the verdict differs from the stored one (verdict.json); another version of "
                   "mishap judged it, or the run was changed\n";
    }
    return exit_code_of(verdict.verdict);
  });
}

int run_report(const ReportArguments& arguments) {
  return render_runs(arguments, [](const std::string&, const client_tests::Suite&,
                                   const client_tests::SuiteVerdict&) { return kExitPass; });
}

}  // namespace mishap::cli
