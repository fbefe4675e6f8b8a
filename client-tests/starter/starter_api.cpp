#include "client-tests/starter/starter_api.h"

#include <algorithm>
#include <array>

#include "client-tests/starter/path_shape.h"

namespace mishap::client_tests {
namespace {

using server::Exchange;

constexpr std::size_t kMostResources = 50;
constexpr std::size_t kMostRoutes = 50;
constexpr std::size_t kMostIds = 20;

constexpr std::array<std::string_view, 4> kSureReferences = {"reference", "client_reference",
                                                             "external_reference", "external_id"};

// What a resource or a route can be asked by; of others there is nothing to describe.
bool is_known(std::string_view method) {
  static constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD",  "POST",
                                                               "PUT", "PATCH", "DELETE"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

bool is_read(const Exchange& exchange) {
  return exchange.request.method == "GET" || exchange.request.method == "HEAD";
}

// Whether what stands in front of the last segment can be a collection: not nothing, not "/v1".
bool is_collection_path(const std::vector<std::string>& segments) {
  return !segments.empty() && !is_prefix_word(segments.back()) && !segments.back().empty();
}

// A collection below an item ("/customers/42/orders") has no literal path.
bool is_nested(const std::vector<std::string>& segments) {
  return with_ids_collapsed(segments).find(':') != std::string::npos;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_plural(std::string_view word) {
  return word.size() > 2 && word.ends_with('s') && !word.ends_with("ss") && word != "status";
}

bool looks_like_reference(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kEnds = {
      "reference", "Reference", "_ref", "external_id", "externalId", "order_number"};
  return name == "ref" ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

class Collector {
 public:
  explicit Collector(const Recording& control)
      : exchanges_(control.journal.exchanges), effects_(control.journal.effects) {}

  StarterApi collect() {
    find_collections();
    for (const Exchange& exchange : exchanges_) {
      if (exchange.role != server::Role::Rejected && is_known(exchange.request.method)) {
        take(exchange);
      }
    }
    for (auto& [path, resource] : resources_) finish(resource);
    for (auto& [path, resource] : resources_) add(api_.resources, kMostResources, resource);
    return std::move(api_);
  }

 private:
  template <typename T>
  void add(std::vector<T>& list, std::size_t most, const T& value) {
    if (list.size() < most) {
      list.push_back(value);
    } else {
      api_.left_out = true;
    }
  }

  // Where things are made, or changed by id; a GET alone does not show a collection.
  void find_collections() {
    for (const Exchange& exchange : exchanges_) {
      auto segments = segments_of(exchange.request.path);
      if (!is_plain_path(exchange.request.path) || segments.empty()) continue;
      const auto& method = exchange.request.method;
      if (method == "POST" && (gives_token(segments) || is_search(exchange, segments))) continue;
      const bool item = looks_like_id(segments.back());
      if (method == "PUT" || method == "PATCH" || method == "DELETE" ||
          (is_read(exchange) && item)) {
        segments.pop_back();
      } else if (method != "POST" && !(is_read(exchange) && is_plural(segments.back()))) {
        continue;
      } else if (method == "POST" && item) {
        continue;
      }
      if (is_collection_path(segments) && !is_nested(segments)) {
        resources_[path_of(segments)].path = path_of(segments);
      }
    }
  }

  static bool is_search(const Exchange& exchange, const std::vector<std::string>& segments) {
    return exchange.safe || only_reads(segments);
  }

  void take(const Exchange& exchange) {
    const auto segments = segments_of(exchange.request.path);
    const auto& method = exchange.request.method;
    // What lies below an item, or cannot be written down, is left to any_path, which keeps what is
    // made there.
    if (!is_plain_path(exchange.request.path)) return;
    if (method == "POST" && gives_token(segments)) {
      take_token(segments);
    } else if (method == "POST" && is_search(exchange, segments)) {
      add_once(api_.safe_posts, with_ids_collapsed(segments));
    } else if (const auto found = resources_.find(path_of(segments)); found != resources_.end()) {
      take_collection(exchange, found->second);
    } else if (auto* resource = parent_of(segments)) {
      take_item(exchange, segments.back(), *resource);
    } else if (!is_nested(segments)) {
      add_route({method, path_of(segments), "{ok: true}", ""});
    }
  }

  StarterResource* parent_of(std::vector<std::string> segments) {
    if (segments.empty()) return nullptr;
    segments.pop_back();
    const auto found = resources_.find(path_of(segments));
    return found == resources_.end() ? nullptr : &found->second;
  }

  static void add_once(std::vector<std::string>& list, const std::string& text) {
    if (list.size() < kMostRoutes && std::ranges::find(list, text) == list.end()) {
      list.push_back(text);
    }
  }

  void add_route(StarterRoute route) {
    const bool known = std::ranges::any_of(api_.routes, [&](const StarterRoute& other) {
      return other.method == route.method && other.path == route.path;
    });
    if (!known) add(api_.routes, kMostRoutes, route);
  }

  void take_token(const std::vector<std::string>& segments) {
    const auto path = with_ids_collapsed(segments);
    if (api_.first_token.empty()) api_.first_token = "POST " + path;
    add_route({"POST", path, "{access_token: starter-token, token_type: Bearer, expires_in: 3600}",
               "give it what your client reads"});
    add_once(api_.safe_posts, path);
  }

  void take_collection(const Exchange& exchange, StarterResource& resource) {
    if (is_read(exchange)) {
      resource.verbs.insert("list");
    } else if (exchange.request.method == "POST") {
      resource.verbs.insert("create");
      // Who loses an answer may look for what was made.
      resource.verbs.insert({"read", "list"});
      creates_[resource.path].push_back(&exchange);
    } else {
      add_route({exchange.request.method, resource.path, "{ok: true}", ""});
    }
  }

  void take_item(const Exchange& exchange, const std::string& id, StarterResource& resource) {
    const auto& method = exchange.request.method;
    if (method == "POST") {
      add_route({"POST", resource.path + "/:id", "{id: '" + id + "'}", "an update by POST"});
      return;
    }
    static const std::map<std::string, std::string> kVerbs = {{"GET", "read"},
                                                              {"HEAD", "read"},
                                                              {"PUT", "replace"},
                                                              {"PATCH", "patch"},
                                                              {"DELETE", "delete"}};
    const auto verb = kVerbs.find(method);
    if (verb == kVerbs.end()) return;
    resource.verbs.insert(verb->second);
    if (verb->second == "replace") resource.verbs.insert("read");
    if (verb->second != "replace" && !was_made(id)) seed(resource, id);
  }

  // By the control itself; all else was there before.
  bool was_made(const std::string& id) const {
    return std::ranges::find(effects_, id, &server::Effect::id) != effects_.end();
  }

  void seed(StarterResource& resource, const std::string& id) {
    const bool known = std::ranges::find(resource.ids, id) != resource.ids.end();
    if (known) return;
    if (resource.ids.size() < kMostIds) {
      resource.ids.push_back(id);
    } else {
      api_.left_out = true;
    }
  }

  void finish(StarterResource& resource) {
    const auto& creates = creates_[resource.path];
    resource.has_schema = !creates.empty();
    for (const Exchange* create : creates) {
      const auto& kind = create->request.body_kind;
      if (kind != "json" && kind != "form") resource.has_schema = false;
      add_members(resource, *create, create == creates.front());
      note_key(resource, *create);
    }
    find_reference(resource, creates);
  }

  static void add_members(StarterResource& resource, const Exchange& create, bool first) {
    const auto& seen = create.request.members;
    for (auto& known : resource.members) {
      const auto again = std::ranges::find(seen, known.name, &server::MemberSketch::name);
      if (again == seen.end()) {
        known.always = false;
      } else if (known.type != again->type) {
        known.type = is_number(known.type) && is_number(again->type) ? "number" : "";
      }
    }
    for (const auto& member : seen) {
      const auto known = std::ranges::find(resource.members, member.name, &StarterMember::name);
      if (known != resource.members.end()) continue;
      resource.members.push_back({member.name, member.type == "null" ? "" : member.type, first});
    }
  }

  static bool is_number(std::string_view type) { return type == "integer" || type == "number"; }

  static void note_key(StarterResource& resource, const Exchange& create) {
    if (create.request.key.empty()) return;
    for (const auto& header : create.request.headers) {
      if (lower(header.name) == "x-idempotency-key") resource.key_header = header.name;
    }
  }

  // Sure where its name is in use for this and no two creates share a value, as far as values are
  // known; else a guess that stays a comment: a wrong one would take two orders for one.
  void find_reference(StarterResource& resource, const std::vector<const Exchange*>& creates) {
    for (const auto word : kSureReferences) {
      const auto member = std::ranges::find(resource.members, word, &StarterMember::name);
      if (member == resource.members.end() || !member->always) continue;
      resource.reference = std::string(word);
      resource.reference_is_sure = values_differ(creates);
      return;
    }
    for (const auto& member : resource.members) {
      if (member.type != "string" || !looks_like_reference(member.name)) continue;
      resource.reference = member.name;
      return;
    }
  }

  static bool values_differ(const std::vector<const Exchange*>& creates) {
    std::set<std::string> values;
    for (const Exchange* create : creates) {
      const auto& value = create->request.reference;
      if (!value.empty() && !values.insert(value).second) return false;
    }
    return true;
  }

  const std::deque<Exchange>& exchanges_;
  const std::deque<server::Effect>& effects_;
  StarterApi api_;
  std::map<std::string, StarterResource> resources_;  // by path
  std::map<std::string, std::vector<const Exchange*>> creates_;
};

}  // namespace

StarterApi starter_api_of(const Recording& control) {
  return Collector(control).collect();
}

}  // namespace mishap::client_tests
