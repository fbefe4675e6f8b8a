#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_output.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// One thread runs through the log lines of all attempts.
namespace mishap::client_tests {

namespace {

using nlohmann::json;

// Of an attempt's line where the client says that it logs JSON.
constexpr std::string_view kMembers[] = {"operation", "attempt", "duration_ms", "category", "next"};
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
    if (is_json) read_objects(lane);
    for (const Operation* operation : operations_of(case_.history, lane)) look_at(*operation);
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
    for (const std::string& line : said_->lines()) {
      json object = json::parse(line, nullptr, false);
      if (!object.is_object()) {
        tally_.broke(said(fmt::format("copy {}: a line of the log is no JSON object", lane)));
        continue;
      }
      const auto operation = object.find("operation");
      const bool is_named = operation != object.end() && operation->is_string();
      if (!object.contains("attempt") || !is_named) continue;
      const auto name = operation->get<std::string>();
      objects_[name].push_back(std::move(object));
    }
  }

  void look_at(const Operation& operation) {
    const auto names = names_of(operation);
    const std::size_t attempts = policy_attempts(operation).size();
    if (names.empty() || attempts < 2 || is_lookup(operation)) return;
    if (said_->bytes() == 0) {
      silent_ = true;
    } else if (case_.recording.claims.json_logs) {
      judge_objects(operation, names, attempts);
    } else {
      judge_lines(operation, names, attempts);
    }
  }

  void judge(bool held, const Operation& operation, std::string statement) {
    Witness cited = witness(operation, std::move(statement));
    if (held) {
      tally_.held(std::move(cited));
    } else if (said_->are_whole()) {
      tally_.broke(std::move(cited));
    } else {
      tally_.open("the middle of the log was not kept", std::move(cited));
    }
  }

  // A client may be silent about what went well at last.
  void judge_lines(const Operation& operation, const std::vector<std::string>& names,
                   std::size_t attempts) {
    const std::size_t named = said_->naming(names);
    const bool held = named + 1 >= attempts;
    judge(held, operation,
          fmt::format("{}: {} with its reference or key {} {} - 1", operation.name,
                      counted(named, "line"), held ? ">=" : "<", counted(attempts, "attempt")));
  }

  void judge_objects(const Operation& operation, const std::vector<std::string>& names,
                     std::size_t attempts) {
    std::size_t named = 0;
    for (const std::string& name : names) {
      const auto own = objects_.find(name);
      if (own == objects_.end()) continue;
      named += own->second.size();
      for (const std::string_view member : kMembers) {
        const bool all_have = std::ranges::all_of(
            own->second, [&](const json& object) { return object.contains(member); });
        if (all_have) continue;
        return judge(false, operation,
                     fmt::format("{}: a line of an attempt has no \"{}\"", operation.name, member));
      }
    }
    const bool held = static_cast<double>(named) >= kShare * static_cast<double>(attempts);
    judge(held, operation,
          fmt::format("{}: {} of its attempts {} 95 % of {}", operation.name,
                      counted(named, "line"), held ? ">=" : "<", counted(attempts, "attempt")));
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
    const std::size_t logged = said_->naming({request_id_});
    const bool held = static_cast<double>(logged) >= kShare * static_cast<double>(told);
    Witness cited = said(fmt::format("copy {}: the vendor's request id stands in {} {} 95 % of {}",
                                     lane, counted(logged, "line"), held ? ">=" : "<",
                                     counted(static_cast<std::size_t>(told), "answer")));
    held ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  std::string request_id_;
  std::optional<SaidLines> said_;
  std::map<std::string, std::vector<json>> objects_;  // lines of attempts, by operation
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
        "lines that name its reference or key >= attempts - 1; of a client that logs JSON "
        "(client: {log_format: json}): objects with operation, attempt, duration_ms, category and "
        "next >= 95 % of its attempts; the vendor's request id in >= 95 % as many lines as answers "
        "carried it",
    .judged =
        "operations with a reference or key that were tried twice or more, of clients that are "
        "our child and print something; the first and last 32 KiB of a stream",
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
