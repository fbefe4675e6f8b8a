#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/matcher.h"

namespace mishap::server {

// What of an api a request is for.
struct Routed {
  enum class Kind {
    Unmatched,   // nothing there
    NotAllowed,  // the path is there, the method is not
    Options,     // OPTIONS on a path that is there
    SafePost,    // a POST that only reads
    Route,       // a stateless answer
    Resource,    // collection or item of a resource
    Batch,       // creates of a resource, many in one request
    Any,         // the same under the vendor `any`, where verb and id of a read depend on the state
  };
  Kind kind = Kind::Unmatched;
  std::string allow;  // of NotAllowed and Options
  const scenarios::Route* route = nullptr;
  const scenarios::Resource* resource = nullptr;  // of Resource and Batch
  std::size_t resource_index = 0;
  scenarios::Verb verb = scenarios::Verb::List;
  std::string collection;  // its name; under `any` the path
  std::string id;          // of an item; empty: the collection
};

// Finds it. Routes come first, in their order, then resources. Borrows the api.
class Router {
 public:
  explicit Router(const scenarios::Api& api);

  Routed route(const RequestView& request) const;
  // What each item of a batch is for.
  Routed create_in(const Routed& batch) const;
  bool is_safe(std::string_view method, const Target& target) const;
  // Whether a route has conditions on the body, so that routing must be done again once it is read.
  bool depends_on_body() const { return depends_on_body_; }
  // One sentence for a request that nothing matches.
  std::string why_unmatched(const RequestView& request) const;

 private:
  std::optional<Routed> to_batch(const RequestView& request) const;
  Routed to_resource(const RequestView& request) const;
  Routed to_any(const RequestView& request) const;
  bool is_safe_post(const Target& target) const;
  std::vector<std::string> offers(const Target& target) const;

  const scenarios::Api& api_;
  std::vector<RequestMatcher> routes_;
  std::vector<std::vector<std::string>> resource_paths_;  // segments
  std::vector<std::vector<std::string>> batch_paths_;     // of the same resources; empty: none
  std::vector<PathPattern> safe_posts_;
  bool depends_on_body_ = false;
};

}  // namespace mishap::server
