#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_output.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/log_threads.h"
#include "client-tests/checks/tally.h"

// One thread runs through the log lines of all attempts.
namespace mishap::client_tests {

namespace {

using nlohmann::json;

// Of an attempt's line where the client says that it logs JSON, beside the name of its operation.
constexpr std::string_view kMembers[] = {"attempt", "duration_ms", "category", "next"};
constexpr double kShare = 0.95;

std::vector<std::string> names_of(const Operation& operation) {
  std::vector<std::string> names = operation.keys;
  if (!operation.reference.empty()) names.push_back(operation.reference);
  return names;
}

bool is_told_whole(const server::Exchange& exchange) {
  return exchange.receipt.delivery == server::Delivery::Complete;
}

class Judge {
 public:
  Judge(const Case& c, std::string request_id) : case_(c), request_id_(std::move(request_id)) {}

  void look_at_lane(int lane) {
    const bool is_json = case_.recording.claims.json_logs;
    said_.emplace(case_.recording, lane, is_json);
    usual_.reset();
    if (case_.control) usual_.emplace(*case_.control, lane_in_control(case_, lane));
    threads_.emplace(*said_, usual_ ? &*usual_ : nullptr);
    if (is_json) read_objects(lane);
    const auto& operations = operations_of(case_.history, lane);
    for (const Operation* operation : operations) add(*operation);
    for (const Operation* operation : operations) look_at(*operation);
    look_for_request_ids(lane);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "attempts cannot be followed in the log",
         .reason = "Which operation a line is about is not told.",
         .held = fmt::format("{} can be followed", counted(tally_.judged(), "operation")),
         .none = silent_ ? "the client prints nothing in which an attempt could be found"
                         : "no operation with a reference or a key was tried more than once"});
  }

 private:
  void read_objects(int lane) {
    objects_.clear();
    lines_by_name_.clear();
    std::size_t other = 0;
    for (std::size_t line = 0; line < said_->lines().size(); ++line) {
      json object = json::parse(said_->lines()[line], nullptr, false);
      if (object.is_object()) {
        take(line, std::move(object));
      } else if (!said_->is_of_a_file(line)) {
        ++other;
      } else if (!said_->is_unended(line)) {
        judge(false, said(fmt::format("copy {}: a line of the log is no JSON object", lane)));
      }
    }
    // What starts the client (npm, a JVM) says its own there.
    if (other > 0) {
      tally_.warn(fmt::format("copy {}: {} of what it says {} no JSON", lane,
                              counted(other, "line"), other == 1 ? "is" : "are"));
    }
  }

  void take(std::size_t line, json object) {
    const auto name = object.find("operation");
    if (name != object.end() && name->is_string()) {
      lines_by_name_[name->get<std::string>()].insert(line);
    }
    if (object.contains("attempt")) objects_[line] = std::move(object);
  }

  // As a member it may be written with escapes.
  std::set<std::size_t> lines_as_member(const std::vector<std::string>& names) const {
    std::set<std::size_t> lines;
    for (const std::string& name : names) {
      const auto own = lines_by_name_.find(name);
      if (own != lines_by_name_.end()) lines.insert(own->second.begin(), own->second.end());
    }
    return lines;
  }

  void add(const Operation& operation) {
    const auto names = names_of(operation);
    auto lines = said_->naming(names);
    lines.merge(lines_as_member(names));
    threads_->add(operation.number, std::move(lines));
  }

  // About its attempts: objects that name it, and those that share an id with such a line.
  std::vector<const json*> objects_of(const Operation& operation) const {
    std::vector<const json*> own;
    for (const std::size_t line : lines_as_member(names_of(operation))) {
      const auto found = objects_.find(line);
      if (found != objects_.end()) own.push_back(&found->second);
    }
    for (const std::size_t line : threads_->sharing(operation.number)) {
      const auto found = objects_.find(line);
      if (found != objects_.end()) own.push_back(&found->second);
    }
    return own;
  }

  void look_at(const Operation& operation) {
    const auto names = names_of(operation);
    const std::size_t attempts = policy_attempts(operation).size();
    if (names.empty() || attempts < 2 || is_lookup(operation)) return;
    if (said_->bytes() == 0) {
      silent_ = true;
    } else if (case_.recording.claims.json_logs) {
      judge_objects(operation, attempts);
    } else {
      judge_lines(operation, attempts);
    }
  }

  void judge(bool held, Witness cited) {
    if (held) {
      tally_.held(std::move(cited));
    } else if (said_->are_whole()) {
      tally_.broke(std::move(cited));
    } else {
      tally_.open("the middle of the log was not kept", std::move(cited));
    }
  }

  // A client may be silent about what went well at last.
  void judge_lines(const Operation& operation, std::size_t attempts) {
    const std::size_t named = threads_->naming(operation.number).size();
    const std::size_t sharing = named + 1 >= attempts ? 0  // enough as it is
                                                      : threads_->sharing(operation.number).size();
    const bool held = named + sharing + 1 >= attempts;
    const std::string more =
        sharing == 0 ? "" : fmt::format(" and {} that share an id with these", sharing);
    judge(held, witness(operation, fmt::format("{}: {} with its reference or key{} {} {} - 1",
                                               operation.name, counted(named, "line"), more,
                                               held ? ">=" : "<", counted(attempts, "attempt"))));
  }

  void judge_objects(const Operation& operation, std::size_t attempts) {
    const auto own = objects_of(operation);
    for (const std::string_view member : kMembers) {
      const bool all_have =
          std::ranges::all_of(own, [&](const json* object) { return object->contains(member); });
      if (all_have) continue;
      return judge(false, witness(operation, fmt::format("{}: a line of an attempt has no \"{}\"",
                                                         operation.name, member)));
    }
    const bool held = static_cast<double>(own.size()) >= kShare * static_cast<double>(attempts);
    judge(held, witness(operation, fmt::format("{}: {} of its attempts {} 95 % of {}",
                                               operation.name, counted(own.size(), "line"),
                                               held ? ">=" : "<", counted(attempts, "attempt"))));
  }

  // What the vendor calls the request, by which its support finds it.
  void look_for_request_ids(int lane) {
    if (request_id_.empty() || said_->bytes() == 0) return;
    const auto told = std::ranges::count_if(
        case_.recording.journal.exchanges, [&](const server::Exchange& exchange) {
          return exchange.lane == lane && is_told_whole(exchange) &&
                 std::ranges::find(exchange.answer.headers, request_id_, &NameValue::value) !=
                     exchange.answer.headers.end();
        });
    if (told == 0) return;
    const std::size_t logged = said_->naming({request_id_}).size();
    const bool held = static_cast<double>(logged) >= kShare * static_cast<double>(told);
    judge(held, said(fmt::format("copy {}: the vendor's request id stands in {} {} 95 % of {}",
                                 lane, counted(logged, "line"), held ? ">=" : "<",
                                 counted(static_cast<std::size_t>(told), "answer"))));
  }

  const Case& case_;
  std::string request_id_;
  std::optional<SaidLines> said_;
  std::optional<SaidLines> usual_;  // on the good day
  std::optional<LogThreads> threads_;
  // Where it logs JSON: what is about attempts, and the lines by the operation that they name.
  std::map<std::size_t, json> objects_;
  std::map<std::string, std::set<std::size_t>> lines_by_name_;
  Tally tally_;
  bool silent_ = false;
};

Finding evaluate(const Case& c, const Params& params) {
  if (!c.recording.child) return not_observed("the client is not ours, so its output is not seen");
  Judge judge(c, params.has("request_id") ? params.text("request_id") : std::string());
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) judge.look_at_lane(lane);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kLogsCorrelateAttempts = {
    .name = "logs_correlate_attempts",
    .summary = "all attempts of an operation can be found in the log",
    .rule =
        "lines that name its reference or key, or share an id with one that does, >= attempts - 1; "
        "of a client that logs JSON (client: {log_format: json}): objects with operation (or such "
        "an id), attempt, duration_ms, category and next >= 95 % of its attempts, and nothing else "
        "in its log files; the vendor's request id in >= 95 % as many lines as answers "
        "carried it",
    .judged =
        "operations with a reference or key that were tried twice or more, of clients that are "
        "our child and print something; the first and last 32 KiB of a stream, of which nothing "
        "that is missing there is concluded",
    .why = "Whoever is called at night has to find what became of one booking among thousands.",
    .change =
        "Write a line for each attempt with your own reference, its number, how long it took, what "
        "kind of failure it was and what comes next; add the vendor's request id.",
    .source = "OWASP Logging Cheat Sheet, interaction identifier; mission B46, B47",
    .since = "0.1",
    .params = {{.name = "request_id",
                .type = ParamType::Text,
                .help = "value of a field of the scenario's answers that the log is to repeat"}},
    .advisory = true,
    .severity = 30,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
