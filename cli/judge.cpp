#include <malloc.h>

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
  const auto path = std::filesystem::path(run) / "verdict.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};  // a pipe would never end
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool put(const std::string& text, const std::string& output) {
  if (output.empty()) {
    std::cout << text << std::flush;
    return std::cout.good();
  }
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  return file.good();
}

// The runs that can be read; what is wrong with the others goes to stderr.
struct Stored {
  std::vector<client_tests::Suite> suites;
  std::vector<std::string> folders;
  bool all = true;
};

Stored load_runs(const std::vector<std::string>& runs) {
  // Two threads read and judge; one heap for both would keep them waiting for one another.
  ::mallopt(M_ARENA_MAX, 2);
  Stored stored;
  for (const auto& run : runs) {
    auto suite = client_tests::load_suite(run);
    if (!suite) {
      std::cerr << render(suite.error());
      stored.all = false;
      continue;
    }
    stored.suites.push_back(std::move(*suite));
    stored.folders.push_back(run);
  }
  return stored;
}

void compare_with_stored(const client_tests::Suite& suite,
                         const client_tests::SuiteVerdict& verdict, const std::string& stored,
                         const std::string& folder) {
  if (stored == reports::find_format("json")->render(verdict, suite, {})) return;
  std::cerr << folder
            << ": the verdict differs from the stored one (verdict.json); another version of "
               "mishap judged it, or the run was changed\n";
}

enum class Compare { No, WithStored };

// One is told as it was, several as one. Judging takes its time: each is judged once where it can.
client_tests::MergedRuns as_one(Stored stored, Compare compare) {
  const bool is_one = stored.suites.size() == 1;
  client_tests::SuiteVerdict verdict;
  for (std::size_t i = 0; i < stored.suites.size(); ++i) {
    const auto& suite = stored.suites[i];
    const auto before =
        compare == Compare::WithStored ? stored_verdict(stored.folders[i]) : std::string();
    if (is_one || !before.empty()) verdict = client_tests::judge(suite);
    if (!before.empty()) compare_with_stored(suite, verdict, before, stored.folders[i]);
  }
  if (is_one) return {std::move(stored.suites.front()), std::move(verdict)};
  return client_tests::merge_runs(std::move(stored.suites));
}

// A run that cannot be read comes before any verdict.
int render_runs(const ReportArguments& arguments, Compare compare,
                int (*code_of)(const client_tests::SuiteVerdict&, OnInconclusive)) {
  const auto* format = format_of(arguments.format);
  if (format == nullptr) return kExitUsage;
  auto stored = load_runs(arguments.runs);
  if (stored.suites.empty()) return kExitUsage;
  const bool all = stored.all;
  const auto whole = as_one(std::move(stored), compare);
  if (!put(format->render(whole.verdict, whole.suite, {}), arguments.output)) {
    std::cerr << "cannot write " << arguments.output << "\n";
    return kExitInternal;
  }
  if (!all) return kExitUsage;
  return code_of(whole.verdict, *on_inconclusive_named(arguments.inconclusive));
}

}  // namespace

int run_judge(const ReportArguments& arguments) {
  return render_runs(arguments, Compare::WithStored,
                     [](const client_tests::SuiteVerdict& verdict, OnInconclusive policy) {
                       std::cerr << policy_line(verdict, policy);
                       return exit_code_of(verdict, policy);
                     });
}

int run_report(const ReportArguments& arguments) {
  return render_runs(arguments, Compare::No,
                     [](const client_tests::SuiteVerdict&, OnInconclusive) { return kExitPass; });
}

}  // namespace mishap::cli
