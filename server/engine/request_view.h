#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "server/engine/target.h"
#include "server/resources/content.h"

namespace mishap::server {

// A request as the engine looks at it.
struct RequestView {
  std::string api;
  std::string method;
  Target target;
  std::vector<NameValue> headers;
  bool safe = false;            // GET, HEAD, OPTIONS, TRACE, or a POST that only reads
  std::optional<Content> body;  // absent until it is read

  // First field of this name, in any case; null where there is none.
  const std::string* header(std::string_view name) const;
};

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace mishap::server
