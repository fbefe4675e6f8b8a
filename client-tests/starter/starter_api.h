#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mishap/recording.h"

// A description of the vendor as far as one healthy run shows it: a place to begin, not the truth.
namespace mishap::client_tests {

struct StarterMember {
  std::string name;
  std::string type;     // of JSON Schema; empty: not always the same
  bool always = false;  // in every create
};

struct StarterResource {
  std::string path;             // "/v1/orders"
  std::set<std::string> verbs;  // "create", "read", ...
  std::string reference;        // a member that names an item; empty: none known
  bool reference_is_sure = false;
  std::string key_header;  // where keys came in another field than Idempotency-Key
  std::vector<StarterMember> members;
  bool has_schema = false;       // every body seen was JSON or a form
  std::vector<std::string> ids;  // read or changed without having been made: there from the start
};

struct StarterRoute {
  std::string method;
  std::string path;  // pattern
  std::string json;  // in YAML's flow form
  std::string why;   // comment; may be empty
};

struct StarterApi {
  std::vector<StarterResource> resources;
  std::vector<StarterRoute> routes;
  std::vector<std::string> safe_posts;
  bool left_out = false;    // more than a starter holds
  std::string first_token;  // "POST /oauth/token", the first call that asks for a credential
};

StarterApi starter_api_of(const Recording& control);

// As an api file. `usage` is the command to try it with.
std::string starter_text(const StarterApi& api, const std::string& usage);

}  // namespace mishap::client_tests
