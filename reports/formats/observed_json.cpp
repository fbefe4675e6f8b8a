#include <nlohmann/json.hpp>

#include "mishap/observed_report.h"
#include "mishap/printable.h"

namespace mishap::reports {

namespace {

using Json = nlohmann::ordered_json;

using client_tests::BackoffSeen;
using client_tests::GrowthSeen;
using client_tests::Observed;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json word_or_null(const std::string& word) {
  return word.empty() ? Json() : Json(word);
}

Json attempts_json(const Observed& observed) {
  Json rows = Json::array();
  for (const auto& row : observed.attempts) {
    rows.push_back({{"failure", row.failure},
                    {"method", printable(row.method)},
                    {"calls", row.calls},
                    {"least", row.least},
                    {"most", row.most},
                    {"stopped", row.stopped},
                    {"uncertain", row.uncertain}});
  }
  return rows;
}

Json grows(const BackoffSeen& seen) {
  return seen.growth == GrowthSeen::Unknown ? Json() : Json(seen.growth == GrowthSeen::Grows);
}

Json backoff_json(const std::optional<BackoffSeen>& seen) {
  if (!seen) return {};
  const bool is_growing = seen->growth == GrowthSeen::Grows;
  const auto if_growing = [&](double value) { return is_growing ? Json(value) : Json(); };
  Json json{{"method", printable(seen->method)},
            {"calls", seen->calls},
            {"medians", seen->medians},
            {"longest", seen->longest},
            {"first_at_once", seen->first_at_once},
            {"grows", grows(*seen)},
            {"multiplier", if_growing(seen->multiplier)},
            {"lower", if_growing(seen->lower)},
            {"upper", if_growing(seen->upper)},
            {"shape", word_or_null(seen->shape)},
            {"cap", or_null(seen->cap)},
            {"jitter", or_null(seen->jitter)},
            {"family", word_or_null(seen->family)}};
  json["layers"] = seen->inner == 0 ? Json() : Json{{"inner", seen->inner}, {"outer", seen->outer}};
  return json;
}

Json timeout_json(const Observed& observed) {
  const auto& seen = observed.attempt_timeout;
  if (!seen) return {};
  return {{"count", seen->count},
          {"least", seen->least},
          {"median", seen->middle},
          {"most", seen->most}};
}

}  // namespace

std::string observed_json(const Observed& observed) {
  Json json{{"format", 1}, {"attempts", attempts_json(observed)}};
  json["refused"] = observed.refused ? Json{{"connects", observed.refused->connects},
                                            {"calls", observed.refused->calls}}
                                     : Json();
  json["backoff"] = backoff_json(observed.backoff);
  json["attempt_timeout"] = timeout_json(observed);
  json["no_timeout_within"] = or_null(observed.no_timeout_within);
  json["deadline"] = observed.deadline ? Json{{"at_least", observed.deadline->at_least},
                                              {"at_most", observed.deadline->at_most}}
                                       : Json();
  json["longest_operation"] = or_null(observed.longest_operation);
  json["retry_after"] = {{"waited", observed.retry_after.waited},
                         {"early", observed.retry_after.early},
                         {"gave_up", observed.retry_after.gave_up}};
  json["keys"] = {{"creates", observed.keys.creates},
                  {"with_key", observed.keys.with_key},
                  {"repeated", observed.keys.repeated},
                  {"stable", observed.keys.stable}};
  Json notes = Json::array();
  for (const std::string& note : observed.notes) notes.push_back(printable(note));
  json["notes"] = std::move(notes);
  json["promise"] = client_tests::promise_block(observed);
  return json.dump(2) + "\n";
}

}  // namespace mishap::reports
