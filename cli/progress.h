#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "mishap/clock.h"
#include "mishap/report.h"
#include "mishap/scenario.h"
#include "mishap/verdict.h"

namespace mishap::cli {

// What `test` says while it runs: one line for each scenario as it ends and, on a terminal, a line
// below them that tells what is under way. All members may be called from any thread.
class Progress {
 public:
  // `clock` is borrowed.
  Progress(const server::Clock& clock, const reports::RenderOptions& options, bool terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(const std::string& text);  // whole lines
  void expect(const std::vector<scenarios::Scenario>& scenarios);
  // What the suite will say of itself, above all what is known.
  void judge_by(client_tests::Suite frame) { frame_of_suite_ = std::move(frame); }
  void began(const std::string& scenario);

  // A scenario has ended. Its line waits until the one it is compared with is there too, since its
  // verdict may hang on it.
  void ended(client_tests::Recording recording);
  void control(const client_tests::Recording& recording);
  void finish();  // no more status line; lines that still wait are printed

 private:
  void print_ready();
  bool ready(const client_tests::Recording& recording) const;
  void print_case(const std::string& name);
  void erase_status();
  void draw_status();
  void tick(const std::stop_token& stop);

  const server::Clock& clock_;
  const reports::RenderOptions options_;
  const bool terminal_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  client_tests::Suite frame_of_suite_;  // with the controls, and with the recording that is printed
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t frame_ = 0;
  bool drawn_ = false;
  std::map<std::string, Duration> running_;
  std::set<std::string> compared_;  // scenarios that others are compared with
  // Those, and what still waits: a run may be large, and the suite has it too.
  std::map<std::string, client_tests::Recording> recordings_;
  std::vector<std::string> waiting_;
  std::jthread ticker_;
};

}  // namespace mishap::cli
