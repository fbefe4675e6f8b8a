#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"

namespace mishap::server {

// A request target, decoded (RFC 9112 section 3.2). Matching works on segments, so that an encoded
// slash stays within its segment and doubled slashes stay distinct from single ones.
struct Target {
  std::string path;                   // segments joined; a slash within one is written %2F
  std::vector<std::string> segments;  // "/a/b" -> a, b; "/" -> one empty; none without a path
  std::vector<NameValue> query;       // in order
};

// Any bytes are fine. Of the absolute form ("http://host/a") the path counts; "*" and the authority
// form ("host:443") have no segments and are their own path.
Target parse_target(std::string_view target);

// The path of a collection that this item path lies in, or "/" at the top.
std::string parent_path(const Target& target);

}  // namespace mishap::server
