#include "server/resources/batch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

constexpr std::size_t kMostItems = 1000;

SentItem read_item(JsonValue value, const scenarios::Batch& batch) {
  SentItem item;
  const auto key = value.is_object() ? value.find(batch.key) : value.end();
  if (key != value.end() && key->is_primitive() && !key->is_null()) item.key = scalar_text(*key);
  if (value.is_object()) value.erase(batch.key);
  item.content = json_content(std::move(value));
  return item;
}

SentItems refused(std::string complaint) {
  return {{}, std::move(complaint)};
}

JsonValue parsed(const std::string& text) {
  JsonValue value = JsonValue::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? JsonValue(text) : value;
}

JsonValue result_of(const ItemAnswer& item) {
  JsonValue result = JsonValue::object();
  result["status"] = item.answer.status;
  if (item.replayed) result["replayed"] = true;
  if (!item.retry_after.empty()) result["retry_after"] = item.retry_after;
  result[item.answer.status / 100 == 2 ? "item" : "error"] = parsed(item.answer.body);
  return result;
}

}  // namespace

SentItems read_items(const Content& body, const scenarios::Batch& batch) {
  if (body.kind == Content::Kind::BadJson) return refused(body.complaint);
  if (!body.value || !body.value->is_object()) {
    return refused(fmt::format("the body must be a JSON object with \"{}\"", batch.items));
  }
  const auto member = body.value->find(batch.items);
  if (member == body.value->end() || !member->is_array()) {
    return refused(fmt::format("{}: a list of items is needed", batch.items));
  }
  if (member->empty()) return refused(fmt::format("{}: there are none", batch.items));
  if (member->size() > kMostItems) {
    return refused(fmt::format("{}: {} are more than {}", batch.items, member->size(), kMostItems));
  }
  SentItems sent;
  sent.items.reserve(member->size());
  for (const JsonValue& value : *member) sent.items.push_back(read_item(value, batch));
  return sent;
}

SendAnswer batch_answer(const std::vector<ItemAnswer>& items, const scenarios::Batch& batch) {
  JsonValue body = JsonValue::object();
  JsonValue& results = body[batch.results] = JsonValue::array();
  SendAnswer answer{batch.status, {{"Content-Type", "application/json"}}, {}, false};
  std::string retry_after;
  for (const ItemAnswer& item : items) {
    results.push_back(result_of(item));
    if (retry_after.empty()) retry_after = item.retry_after;
  }
  if (!retry_after.empty()) answer.headers.push_back({"Retry-After", retry_after});
  answer.body = to_text(body);
  return answer;
}

std::vector<StatusCode> statuses_told(const SendAnswer& answer, const scenarios::Batch& batch) {
  const auto body = JsonValue::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  const auto results = body.is_object() ? body.find(batch.results) : body.end();
  if (!body.is_object() || results == body.end() || !results->is_array()) return {};
  std::vector<StatusCode> statuses;
  for (const JsonValue& result : *results) {
    statuses.push_back(result.is_object() ? result.value("status", StatusCode{}) : StatusCode{});
  }
  return statuses;
}

}  // namespace mishap::server
