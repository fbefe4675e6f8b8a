#include "server/resources/problem.h"

#include <nlohmann/json.hpp>

#include "server/resources/content.h"

namespace mishap::server {

SendAnswer problem_answer(StatusCode status, std::string_view type, std::string_view detail) {
  JsonValue body;
  body["type"] = type;
  body["title"] = reason_phrase(status);
  body["status"] = status;
  body["detail"] = detail;
  return {status, {{"Content-Type", "application/problem+json"}}, to_text(body), false};
}

}  // namespace mishap::server
