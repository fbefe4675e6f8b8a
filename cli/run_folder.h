#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "cli/exit_code.h"
#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/recording.h"
#include "mishap/report.h"

// What `test` and `serve --judge` share: where a run is kept, and how it is told.
namespace mishap::cli {

inline constexpr std::string_view kRunsFolder = "mishap-runs";

reports::RenderOptions terminal_options(bool terminal);

struct ReportTarget {
  const reports::Format* format = nullptr;
  std::string file;
};

// "junit" or "junit=FILE" each; what is wrong goes to stderr, said by `who`.
std::optional<std::vector<ReportTarget>> read_reports(const std::string& who,
                                                      const std::vector<std::string>& words);

// "2026-11-29T20-14-05-core", from what was asked for first.
std::string suite_name(const std::string& target, const server::Clock& clock);

// "2026-11-29", in UTC: by which known findings are judged.
std::string utc_day(const server::Clock& clock);

// `out`, which must be new or empty, or else a new folder in mishap-runs.
tl::expected<std::string, Error> make_folder(const std::string& out, const std::string& name);

// The command line that repeats a run, and behind it the client's.
std::string again_line(const std::vector<std::string>& words,
                       const std::optional<std::uint64_t>& asked, std::uint64_t seed);
std::string client_words(const std::vector<std::string>& masked_client);

struct Conclusion {
  std::string folder;
  std::vector<ReportTarget> reports;  // beside those in the folder
  reports::RenderOptions render;
  int prune_to = 0;  // passing runs that stay in mishap-runs; 0: none is removed
  OnInconclusive inconclusive = OnInconclusive::Error;
};

// Stores, reports and prints the end of the console's text; gives the exit code. `verdict` is that
// of the suite: whoever needs it before has it judged once.
int conclude_suite(const client_tests::Suite& suite, const client_tests::SuiteVerdict& verdict,
                   const Conclusion& conclusion);

// Says an error on stderr; gives the exit code.
int complain(const Error& error);

}  // namespace mishap::cli
