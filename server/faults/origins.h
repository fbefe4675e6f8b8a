#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// The run's own addresses, for answers that name them: a redirect to another origin needs one that
// is really there.
namespace mishap::server {

struct Origins {
  std::string own;                         // URL of the api that answers
  std::map<std::string, std::string> all;  // api -> URL, of the same copy of the client
};

// With {url} and {url_NAME} replaced. What names no api of the run stays as it is.
std::string with_origins(std::string_view text, const Origins& origins);

// The names behind "{url_" in it.
std::vector<std::string> origins_named_in(std::string_view text);

}  // namespace mishap::server
