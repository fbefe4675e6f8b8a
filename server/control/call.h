#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"

namespace mishap::server::control {

// A call as it was read, and its answer.
struct Call {
  std::string method;
  std::string path;   // not decoded: no path of this API needs it
  std::string query;  // without "?"
  std::vector<NameValue> headers;
  std::string body;

  // Of the first header of that name, in any case; empty: there is none.
  std::string header(std::string_view name) const;
};

struct Reply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<NameValue> headers;
};

using Answerer = std::function<Reply(const Call&)>;

bool same_name(std::string_view a, std::string_view b);  // of headers and hosts: without case

}  // namespace mishap::server::control
