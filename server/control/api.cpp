#include "server/control/api.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "server/control/messages.h"

namespace mishap::server::control {
namespace {

Reply reply(int status, std::string body) {
  return {status, std::move(body), "application/json", {}};
}

Reply reply_of(const Problem& problem) {
  Reply made{problem.status, problem_json(problem), "application/problem+json", {}};
  if (problem.status == 401) made.headers.push_back({"WWW-Authenticate", "Bearer"});
  if (problem.status == 503) made.headers.push_back({"Retry-After", "1"});
  return made;
}

tl::unexpected<Problem> not_allowed(const Call& call, std::string_view allowed) {
  return problem(405, fmt::format("{} is not for {}", call.method, call.path),
                 fmt::format("it takes {}", allowed));
}

tl::unexpected<Problem> no_such_path() {
  return problem(404, "there is no such path",
                 "POST and GET /v1/runs, GET and DELETE /v1/runs/ID, POST /v1/runs/ID/outcomes, "
                 "POST /v1/runs/ID/end, GET /v1/health, POST /v1/end");
}

// Bodies are JSON; a form of a page would come as another type.
std::optional<Problem> wrong_type(const Call& call) {
  if (call.body.empty()) return std::nullopt;
  auto type = call.header("Content-Type");
  type = type.substr(0, type.find(';'));
  type.erase(type.find_last_not_of(' ') + 1);
  for (const auto* known : {"application/json", "application/x-ndjson", "application/jsonl",
                            "application/json-lines"}) {
    if (same_name(type, known)) return std::nullopt;
  }
  return problem(415, fmt::format("the body's Content-Type is \"{}\"", type),
                 "send Content-Type: application/json")
      .value();
}

// "?copy=2": which copy of the client the outcomes are from.
tl::expected<int, Problem> copy_of(const Call& call, const RunView& view) {
  constexpr std::string_view kName = "copy=";
  if (call.query.empty()) return 0;
  int copy = -1;
  if (call.query.starts_with(kName)) {
    std::from_chars(call.query.data() + kName.size(), call.query.data() + call.query.size(), copy);
  }
  const bool known = std::ranges::any_of(
      view.facts.addresses, [&](const LaneAddress& address) { return address.lane == copy; });
  if (known) return copy;
  return problem(422, "the query names no copy of this run", "as in ?copy=0; copies count from 0");
}

}  // namespace

Api::Api(RunBook& book, Doors doors, std::string version, std::function<void()> end_all)
    : book_(book),
      doors_(std::move(doors)),
      version_(std::move(version)),
      end_all_(std::move(end_all)) {}

Reply Api::answer(const Call& call) {
  if (const auto away = turned_away(doors_, call)) return reply_of(*away);
  if (const auto wrong = wrong_type(call)) return reply_of(*wrong);
  auto made = route(call);
  return made ? std::move(*made) : reply_of(made.error());
}

tl::expected<Reply, Problem> Api::route(const Call& call) {
  constexpr std::string_view kRuns = "/v1/runs";
  if (call.path == "/v1/health") {
    return call.method == "GET" ? tl::expected<Reply, Problem>(health()) : not_allowed(call, "GET");
  }
  if (call.path == "/v1/end") {
    if (call.method != "POST") return not_allowed(call, "POST");
    end_all_();
    return reply(202, "{\"ending\": true}\n");
  }
  if (call.path == kRuns) {
    if (call.method == "GET") return reply(200, list_json(book_.all()));
    return call.method == "POST" ? begin(call) : not_allowed(call, "GET and POST");
  }
  if (!call.path.starts_with("/v1/runs/")) return no_such_path();
  const auto rest = call.path.substr(kRuns.size() + 1);
  const auto slash = rest.find('/');
  return route_run(call, rest.substr(0, slash),
                   slash == std::string::npos ? std::string() : rest.substr(slash + 1));
}

tl::expected<Reply, Problem> Api::route_run(const Call& call, const std::string& id,
                                            const std::string& what) {
  const bool posted = call.method == "POST";
  if (what == "outcomes") return posted ? take_outcomes(call, id) : not_allowed(call, "POST");
  if (what == "end") return posted ? end(call, id) : not_allowed(call, "POST");
  if (!what.empty()) return no_such_path();
  if (call.method == "GET") {
    const auto view = book_.look(id);
    if (!view) return tl::unexpected(view.error());
    return reply(200, run_json(*view));
  }
  if (call.method != "DELETE") return not_allowed(call, "GET and DELETE");
  if (auto gone = book_.forget(id); !gone) return tl::unexpected(gone.error());
  return reply(204, "");
}

tl::expected<Reply, Problem> Api::begin(const Call& call) {
  const auto request = read_run_request(call.body);
  if (!request) return tl::unexpected(request.error());
  const auto view = book_.begin(*request);
  if (!view) return tl::unexpected(view.error());
  auto made = reply(201, begun_json(*view));
  made.headers.push_back({"Location", "/v1/runs/" + view->id});
  return made;
}

tl::expected<Reply, Problem> Api::take_outcomes(const Call& call, const std::string& id) {
  const auto view = book_.look(id);
  if (!view) return tl::unexpected(view.error());
  const auto copy = copy_of(call, *view);
  if (!copy) return tl::unexpected(copy.error());
  const auto taken = book_.take_outcomes(id, outcome_lines(call.body), *copy);
  if (!taken) return tl::unexpected(taken.error());
  if (taken->refused.empty()) return reply(200, taken_json(*taken));
  Problem wrong{422,
                "Outcomes that cannot be read",
                fmt::format("{} taken, {} refused: {}", taken->taken, taken->refused.size(),
                            taken->refused.front()),
                "an outcome is {\"operation\": \"r-1\", \"outcome\": \"succeeded\"}",
                {}};
  for (const auto& line : taken->refused) wrong.errors.push_back({line, "", 0, 0, false});
  return tl::unexpected(wrong);
}

tl::expected<Reply, Problem> Api::end(const Call& call, const std::string& id) {
  const auto request = read_end_request(call.body);
  if (!request) return tl::unexpected(request.error());
  const auto judged = book_.end(id, request->how, request->control);
  if (!judged) return tl::unexpected(judged.error());
  return reply(200, judged_json(id, *judged));
}

Reply Api::health() {
  const auto views = book_.all();
  const auto live = std::ranges::count_if(views, [](const RunView& view) {
    return view.state == RunState::Running || view.state == RunState::Ending;
  });
  return reply(200, health_json(version_, static_cast<std::size_t>(live)));
}

}  // namespace mishap::server::control
