#include <nlohmann/json.hpp>

#include "server/control/messages.h"

namespace mishap::server::control {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

double milliseconds(Duration value) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(value).count()) /
         1000.0;
}

// Of the first copy: most runs have one.
Json urls_json(const RunFacts& facts) {
  Json urls = Json::object();
  for (const auto& address : facts.addresses) {
    if (address.lane == 0) urls[address.api] = address.url;
  }
  return urls;
}

Json copies_json(const RunFacts& facts) {
  Json copies = Json::array();
  for (const auto& address : facts.addresses) {
    const auto copy = static_cast<std::size_t>(address.lane);
    while (copies.size() <= copy) copies.push_back(Json::object());
    copies[copy][address.api] = address.url;
  }
  return copies;
}

Json proxies_json(const RunFacts& facts) {
  Json proxies = Json::array();
  for (const auto& address : facts.proxies) proxies.push_back(address.url);
  return proxies;
}

Json facts_json(const RunView& view) {
  Json json = {{"id", view.id}, {"name", view.facts.name}, {"state", to_string(view.state)}};
  json["url"] = view.facts.addresses.empty() ? std::string() : view.facts.addresses.front().url;
  json["urls"] = urls_json(view.facts);
  return json;
}

Json view_json(const RunView& view) {
  auto json = facts_json(view);
  json["seed"] = view.facts.seed;
  json["requests"] = view.requests;
  json["outcomes"] = view.outcomes;
  json["age_ms"] = milliseconds(view.age);
  json["idle_ms"] = milliseconds(view.idle);
  json["ended"] = view.state == RunState::Ended || view.state == RunState::Expired;
  if (view.state == RunState::Ended) {
    json["verdict"] = view.verdict;
    json["headline"] = view.headline;
  }
  return json;
}

}  // namespace

std::string begun_json(const RunView& view) {
  auto json = facts_json(view);
  json["copies"] = copies_json(view.facts);
  json["token"] = view.facts.token;
  json["seed"] = view.facts.seed;
  if (!view.facts.proxies.empty()) json["proxies"] = proxies_json(view.facts);
  if (!view.facts.ca.empty()) json["ca"] = view.facts.ca;
  return text_of(json);
}

std::string run_json(const RunView& view) {
  return text_of(view_json(view));
}

std::string list_json(const std::vector<RunView>& views) {
  Json list = Json::array();
  for (const auto& view : views) list.push_back(view_json(view));
  return text_of({{"runs", std::move(list)}});
}

std::string taken_json(const OutcomesTaken& taken) {
  return text_of({{"taken", taken.taken}, {"refused", taken.refused}});
}

// The report as `mishap test` writes it, and beside its members what a test needs at hand.
std::string judged_json(const std::string& id, const Judged& judged) {
  auto json = Json::parse(judged.report, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["id"] = id;
  json["headline"] = judged.headline;
  json["text"] = judged.text;
  return text_of(json);
}

std::string health_json(const std::string& version, std::size_t runs) {
  return text_of({{"status", "ok"}, {"mishap", version}, {"live_runs", runs}});
}

}  // namespace mishap::server::control
