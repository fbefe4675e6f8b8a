#include "server/control/messages.h"

#include <nlohmann/json.hpp>

#include "cmake/fuzz/fuzz.h"

// Bodies of calls of the control API: what is read stays within its bounds, what is wrong can be
// told, and outcomes come out as lines.
namespace mishap::server::control {
namespace {

using fuzz::hold;
using nlohmann::json;

constexpr std::size_t kMostNamed = 256;

void check_problem(const Problem& problem) {
  hold(problem.status >= 400 && problem.status < 500, "a bad body is the caller's fault");
  hold(json::accept(problem_json(problem)), "a problem is JSON");
}

void check_run_request(std::string_view body) {
  const auto request = read_run_request(body);
  if (!request) return check_problem(request.error());
  hold(request->scenario.empty() || request->yaml.empty(), "a run has one source");
  hold(request->copies >= 0 && request->copies <= 64, "copies are within bounds");
  hold(request->set.size() <= kMostNamed && request->promise.size() <= kMostNamed &&
           request->faults.size() <= kMostNamed,
       "lists are within bounds");
  hold(request->name.size() <= 100, "a name is within bounds");
}

void check_end_request(std::string_view body) {
  const auto request = read_end_request(body);
  if (!request) return check_problem(request.error());
  const int code = request->how.exit_code.value_or(0);
  hold(code >= -255 && code <= 255, "an exit code is within bounds");
}

void check_outcomes(std::string_view body) {
  const std::string lines = outcome_lines(body);
  if (lines == std::string(body) + "\n") return;
  for (std::string_view rest = lines; !rest.empty();) {
    const auto end = rest.find('\n');
    hold(end != std::string_view::npos, "an outcome line ends");
    const auto line = rest.substr(0, end);
    hold(json::accept(line), "an outcome line is JSON");
    const bool is_list = line.starts_with('[');
    hold(is_list || outcome_lines(line) == std::string(line) + "\n", "a line stays as it is");
    rest.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace mishap::server::control

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = mishap::fuzz::text_of(data, size);
  mishap::server::control::check_run_request(body);
  mishap::server::control::check_end_request(body);
  mishap::server::control::check_outcomes(body);
  return 0;
}
