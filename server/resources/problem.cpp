#include "server/resources/problem.h"

#include <nlohmann/json.hpp>

#include "server/resources/content.h"

namespace mishap::server {
namespace {

constexpr std::string_view kMediaType = "application/problem+json";

}  // namespace

SendAnswer problem_answer(StatusCode status, std::string_view type, std::string_view detail) {
  JsonValue body;
  body["type"] = type;
  body["title"] = reason_phrase(status);
  body["status"] = status;
  body["detail"] = detail;
  return {status, {{"Content-Type", std::string(kMediaType)}}, to_text(body), false};
}

std::string problem_detail(const SendAnswer& answer) {
  if (answer.status < 400 || answer.headers.empty() ||
      answer.headers.front() != NameValue{"Content-Type", std::string(kMediaType)}) {
    return {};
  }
  const auto body = JsonValue::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  const auto detail = body.find("detail");
  return body.is_object() && detail != body.end() && detail->is_string()
             ? detail->get<std::string>()
             : std::string();
}

}  // namespace mishap::server
