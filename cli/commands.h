#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mishap/known.h"
#include "mishap/scenario.h"
#include "mishap/units.h"

// What the command line was read into, and one function for each subcommand. Each gives the
// process's exit code.
namespace mishap::cli {

inline constexpr int kExitPass = 0;
inline constexpr int kExitFail = 1;
inline constexpr int kExitInconclusive = 2;
inline constexpr int kExitUsage = 3;  // a bad scenario, a bad option, no such client
inline constexpr int kExitInternal = 4;

struct ProjectOptions {
  std::string file;   // --project; empty: the one that is found
  bool none = false;  // --no-project
};

struct TestArguments {
  std::vector<std::string> targets;
  bool only_quick_faults = false;  // --fault, and no target
  scenarios::LoadOptions load;
  ProjectOptions project;
  std::string client_name;               // --client: one of mishap.yaml's
  std::vector<std::string> client;       // the command behind "--"
  scenarios::Client plan;                // of mishap.yaml; the command line is laid over it
  std::string client_folder;             // where it runs; empty: here
  std::vector<std::string> environment;  // NAME=VALUE
  std::optional<std::uint64_t> seed;
  int jobs = 8;
  bool jobs_given = false;
  std::string kill_after;
  std::string out;  // empty: mishap-runs/<time>-<name>
  int keep = 20;
  std::vector<std::string> reports;  // FORMAT or FORMAT=FILE
  std::vector<std::string> words;    // the command line up to the client, to repeat it
  std::vector<std::string> tags;     // TAG or not:TAG
  std::string shard;                 // "2/4", "off"; empty: as the environment says
  std::string last_failed;           // a run's folder, "true" for the last one; empty: not asked
  int reruns = 2;                    // of what is inconclusive
  std::string inconclusive = "error";
  std::string known_file;   // empty: mishap-known.yaml in the project's folder, where there is one
  std::string write_known;  // a file, "true" for that one; empty: not asked
  bool strict_known = false;
  std::vector<scenarios::KnownFinding> project_known;  // of mishap.yaml
  std::string project_folder;                          // of mishap.yaml; empty: this one
};
int run_test(const TestArguments& arguments);

struct ObserveArguments {
  TestArguments test;  // how the client is run
  bool json = false;
};
int run_observe(const ObserveArguments& arguments);

struct InitArguments {
  std::vector<std::string> client;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string api;                       // empty: any
  std::vector<std::string> intercept;    // hosts, as --intercept names them
  std::string kill_after;
  std::string file = "mishap.yaml";
  bool force = false;
};
int run_init(const InitArguments& arguments);

struct ServeArguments {
  std::vector<std::string> targets;
  scenarios::LoadOptions load;
  ProjectOptions project;
  std::optional<std::uint64_t> seed;
  Port port = 0;
  std::string ports;  // FIRST-LAST
  int threads = 1;
  std::string listen = "127.0.0.1";
  std::string advertise;
  std::string ca_out;  // file
  std::optional<int> ready_fd;
  bool judge = false;
  bool with_healthy = false;
  std::string until_quiet;  // durations
  std::string for_time;
  bool until_eof = false;  // of standard input
  std::vector<std::string> reports;
  std::string out;
  int keep = 20;
  std::optional<std::string> control;  // the control API's port; empty: any
  std::string token;                   // of the control API
  std::string allow_files;
  std::string inconclusive = "error";
  std::vector<std::string> words;  // the command line, to repeat it
};
int run_serve(const ServeArguments& arguments);

struct LintArguments {
  std::vector<std::string> files;  // empty: the project's own
  scenarios::LoadOptions load;
  ProjectOptions project;
};
int run_lint(const LintArguments& arguments);

struct ReportArguments {
  std::vector<std::string> runs;
  std::string format = "console";
  std::string output;  // empty: stdout
  std::string inconclusive = "error";
};
int run_judge(const ReportArguments& arguments);
int run_report(const ReportArguments& arguments);

// The built-in client of a calibration; for mishap itself, which starts it.
inline constexpr const char* kCalibrate = "calibrate";
int run_calibrate();
std::vector<std::string> calibrator();  // its command; empty: this program cannot be found

int run_list(const std::string& what);
int run_explain(const std::string& name);
int run_schema(const std::string& what);

}  // namespace mishap::cli
