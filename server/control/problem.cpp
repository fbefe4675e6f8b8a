#include "server/control/problem.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace mishap::server::control {
namespace {

using Json = nlohmann::ordered_json;

struct Reason {
  int status;
  const char* phrase;
};

constexpr std::array<Reason, 21> kReasons{{{200, "OK"},
                                           {201, "Created"},
                                           {202, "Accepted"},
                                           {204, "No Content"},
                                           {400, "Bad Request"},
                                           {401, "Unauthorized"},
                                           {403, "Forbidden"},
                                           {404, "Not Found"},
                                           {405, "Method Not Allowed"},
                                           {408, "Request Timeout"},
                                           {409, "Conflict"},
                                           {410, "Gone"},
                                           {411, "Length Required"},
                                           {413, "Content Too Large"},
                                           {414, "URI Too Long"},
                                           {415, "Unsupported Media Type"},
                                           {421, "Misdirected Request"},
                                           {422, "Unprocessable Content"},
                                           {431, "Request Header Fields Too Large"},
                                           {500, "Internal Server Error"},
                                           {503, "Service Unavailable"}}};

Json detail_json(const ProblemDetail& detail) {
  Json json = {{"detail", detail.message}, {"severity", detail.warning ? "warning" : "error"}};
  if (!detail.source.empty()) json["source"] = detail.source;
  if (detail.line > 0) {
    json["line"] = detail.line;
    json["column"] = detail.column;
  }
  return json;
}

}  // namespace

std::string reason_phrase(int status) {
  const auto* found = std::ranges::find(kReasons, status, &Reason::status);
  return found == kReasons.end() ? std::string() : found->phrase;
}

tl::unexpected<Problem> problem(int status, std::string detail, std::string hint) {
  return tl::unexpected(
      Problem{status, reason_phrase(status), std::move(detail), std::move(hint), {}});
}

Problem problem_of(const Diagnostics& diagnostics) {
  Problem made{422, "The scenario is wrong", {}, {}, {}};
  for (const auto& one : diagnostics) {
    const bool warning = one.severity == Severity::Warning;
    made.errors.push_back({one.message, one.span.source ? one.span.source->name : std::string(),
                           one.span.line, one.span.column, warning});
    if (!warning && made.detail.empty()) made.detail = one.message;
  }
  return made;
}

Problem problem_of(const Error& error) {
  const bool environment =
      error.code == ErrorCode::Environment || error.code == ErrorCode::Internal;
  const int status = environment ? 503 : 422;
  return {status, reason_phrase(status), error.message, error.hint, {}};
}

std::string problem_json(const Problem& problem) {
  Json json = {{"type", "about:blank"},
               {"title", problem.title},
               {"status", problem.status},
               {"detail", problem.detail}};
  if (!problem.hint.empty()) json["hint"] = problem.hint;
  if (!problem.errors.empty()) {
    json["errors"] = Json::array();
    for (const auto& one : problem.errors) json["errors"].push_back(detail_json(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mishap::server::control
