#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/matcher.h"
#include "server/engine/path_index.h"

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
  std::string_view allow;  // of NotAllowed and Options; the router's
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
  // The collection of a resource, an item of it, or its batch: what can be asked for there.
  struct Place {
    std::size_t resource = 0;
    enum class What { Collection, Item, Batch } what = What::Collection;
    std::string allow;  // the methods, as the field says them
  };

  void add_place(Place place, const std::vector<std::string>& segments);
  void add_resource(std::size_t index);
  std::optional<Routed> to_route(const RequestView& request) const;
  Routed to_batch(const Place& place, const RequestView& request) const;
  Routed to_resource(const RequestView& request) const;
  Routed to_any(const RequestView& request) const;
  bool is_safe_post(const Target& target) const;
  std::vector<std::string> offers(const Target& target) const;

  const scenarios::Api& api_;
  std::vector<RequestMatcher> routes_;
  PathIndex route_paths_;
  std::vector<Place> places_;  // batches first, then the resources in their order
  PathIndex place_paths_;
  PathIndex safe_posts_;
  bool depends_on_body_ = false;
};

}  // namespace mishap::server
