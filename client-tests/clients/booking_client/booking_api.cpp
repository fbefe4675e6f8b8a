#include "client-tests/clients/booking_client/booking_api.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace booking {
namespace {

using nlohmann::json;

// "application/json; charset=utf-8" -> "application/json"
std::string media_type(const std::string& content_type) {
  std::string type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

bool is_json(const std::string& content_type) {
  const std::string type = media_type(content_type);
  return type.empty() || type == "application/json" || type.ends_with("+json");
}

// The body as a JSON object; discarded if it is anything else. Unknown members are welcome.
json object_of(const Answer& answer) {
  if (!is_json(answer.content_type)) return json(json::value_t::discarded);
  json value = json::parse(answer.body, nullptr, false);
  return value.is_object() ? value : json(json::value_t::discarded);
}

std::optional<std::string> text_member(const json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

// The id of a booking that is whole and has this reference; of any where that is empty.
std::optional<std::string> id_of(const json& booking, const std::string& reference) {
  if (!booking.is_object()) return std::nullopt;
  if (!reference.empty() && text_member(booking, "reference") != reference) return std::nullopt;
  std::optional<std::string> id = text_member(booking, "id");
  return id && !id->empty() ? id : std::nullopt;
}

// The "items" of a listing, each an object; nothing if the answer has another shape.
std::optional<json> items_of(const Answer& answer) {
  const json listing = object_of(answer);
  if (listing.is_discarded() || answer.status != 200) return std::nullopt;
  const auto items = listing.find("items");
  if (items == listing.end() || !items->is_array()) return std::nullopt;
  const bool are_objects =
      std::all_of(items->begin(), items->end(), [](const json& item) { return item.is_object(); });
  return are_objects ? std::optional<json>(*items) : std::nullopt;
}

std::string percent_encode(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return out;
}

}  // namespace

std::string booking_body(const std::string& reference, int number, const std::string& contact) {
  const std::string day = std::to_string(10 + number % 18);
  json body{{"reference", reference},
            {"product", "harbour-tour"},
            {"guests", 1 + number % 4},
            {"date", "2031-06-" + day}};
  if (!contact.empty()) body["contact"] = contact;
  return body.dump();
}

Request get_request(const Environment& environment, const std::string& path) {
  Request request{"GET", environment.base_path + path, {{"Accept", "application/json"}}, ""};
  request.headers.emplace_back("User-Agent", "mishap-booking-client");
  if (!environment.token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + environment.token);
  }
  return request;
}

Request create_request(const Environment& environment, const Intent& intent,
                       const std::optional<std::string>& key) {
  Request request = get_request(environment, "/v1/bookings");
  request.method = "POST";
  request.body = intent.body;
  request.headers.emplace_back("Content-Type", "application/json");
  // The draft makes the value a structured-field string, which is quoted.
  if (key) request.headers.emplace_back("Idempotency-Key", '"' + *key + '"');
  return request;
}

Request batch_request(const Environment& environment, const std::vector<KeyedIntent>& intents) {
  json items = json::array();
  for (const KeyedIntent& one : intents) {
    json item = json::parse(one.intent.body);
    if (one.key) item["idempotency_key"] = *one.key;
    items.push_back(std::move(item));
  }
  Request request = get_request(environment, "/v1/bookings/batch");
  request.method = "POST";
  request.body = json{{"items", std::move(items)}}.dump();
  request.headers.emplace_back("Content-Type", "application/json");
  return request;
}

Request token_request(const Environment& environment) {
  Request request = get_request(environment, "/v1/token");
  request.method = "POST";
  request.body = R"({"grant_type":"refresh_token"})";
  request.headers.emplace_back("Content-Type", "application/json");
  return request;
}

std::optional<std::string> token_of(const Answer& answer) {
  if (failure_of(answer)) return std::nullopt;
  const json object = object_of(answer);
  return object.is_discarded() ? std::nullopt : text_member(object, "access_token");
}

Request lookup_request(const Environment& environment, const std::string& member,
                       const std::string& value) {
  return get_request(environment, "/v1/bookings?" + member + '=' + percent_encode(value));
}

Request upsert_request(const Environment& environment, const Intent& intent,
                       const std::string& id) {
  Request request = create_request(environment, intent, std::nullopt);
  request.method = "PUT";
  request.target += '/' + percent_encode(id);
  return request;
}

Request note_request(const Environment& environment, const std::string& reference,
                     const std::string& key) {
  const Intent note{"", key, json{{"text", "please book " + reference}}.dump()};
  Request request = create_request(environment, note, key);
  request.target = environment.base_path + "/v1/notes";
  return request;
}

Judgement judge_booking(const Answer& answer, const std::string& reference) {
  if (const auto failure = failure_of(answer)) return *failure;
  if (answer.status != 201 && answer.status != 200) {
    return invalid_response("status " + std::to_string(answer.status) + " confirms nothing");
  }
  const json booking = object_of(answer);
  if (booking.is_discarded()) return invalid_response("answer is no JSON object");
  const std::optional<std::string> id = id_of(booking, reference);
  if (!id) return invalid_response("answer lacks an id, or is not about our reference");
  return Success{*id};
}

std::optional<std::vector<Answer>> answers_to_items(const Answer& answer, std::size_t items) {
  const json body = object_of(answer);
  const auto results = body.is_object() ? body.find("results") : body.end();
  if (!body.is_object() || results == body.end() || !results->is_array()) return std::nullopt;
  if (results->size() != items) return std::nullopt;
  std::vector<Answer> answers;
  for (const json& result : *results) {
    if (!result.is_object() || !result.value("status", json()).is_number_integer()) {
      return std::nullopt;
    }
    Answer one{Ending::Answered, result["status"].get<int>(), "application/json", {}, ""};
    if (const auto wait = text_member(result, "retry_after")) one.retry_after = {*wait};
    const char* member = one.status / 100 == 2 ? "item" : "error";
    one.body = result.value(member, json()).dump();
    answers.push_back(std::move(one));
  }
  return answers;
}

Judgement judge_lookup(const Answer& answer, const std::string& reference) {
  if (const auto failure = failure_of(answer)) return *failure;
  const std::optional<json> items = items_of(answer);
  if (!items) return invalid_response("answer is no list");
  // The filter is the server's; whether it was applied is ours to check.
  for (const json& booking : *items) {
    if (const auto id = id_of(booking, reference)) return Success{*id};
  }
  return Failure{Category::NotFoundYet, true, Effect::Unknown, false, "no such booking"};
}

Judgement judge_products(const Answer& answer) {
  if (const auto failure = failure_of(answer)) return *failure;
  if (!items_of(answer)) return invalid_response("answer is no list");
  return Success{};
}

Judgement judge_object(const Answer& answer) {
  if (const auto failure = failure_of(answer)) return *failure;
  if (object_of(answer).is_discarded()) return invalid_response("answer is no JSON object");
  return Success{};
}

bool says_in_progress(const Answer& answer) {
  const json problem = object_of(answer);
  if (problem.is_discarded()) return false;
  std::string type = text_member(problem, "type").value_or("");
  std::replace(type.begin(), type.end(), '_', '-');
  return type.find("in-progress") != std::string::npos;
}

}  // namespace booking
