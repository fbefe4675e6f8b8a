#include "scenarios/parser/api_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mishap/nearest_word.h"
#include "mishap/scenario.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/version.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

constexpr std::size_t kLongestChain = 16;
constexpr std::size_t kMostBytes = 4 * kMostFileBytes;

const Shipped* shipped_api(std::string_view name) {
  for (const Shipped& api : shipped_apis()) {
    if (api.name == name) return &api;
  }
  return nullptr;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const Shipped& api : shipped_apis()) names.push_back(api.name);
  return names;
}

// Maps are merged member by member, all else is replaced.
void merge(Node& base, const Node& over) {
  if (!base.is_map() || !over.is_map()) {
    base = over;
    return;
  }
  for (const auto& [key, value] : over.members) {
    const auto same = [&word = key.text](const auto& member) { return member.first.text == word; };
    const auto found = std::find_if(base.members.begin(), base.members.end(), same);
    if (found == base.members.end()) {
      base.members.emplace_back(key, value);
    } else {
      merge(found->second, value);
    }
  }
  base.span = over.span;
}

// What an api begins with. Over an upstream nothing is known of the paths, as with `any`.
std::optional<Node> beginning_of(const MapView& view) {
  if (const Node* from = view.find("from")) return *from;
  const Node* upstream = view.find("upstream");
  if (upstream == nullptr) return std::nullopt;
  Node any;
  any.kind = Node::Kind::Scalar;
  any.text = "any";
  any.span = upstream->span;
  return any;
}

bool is_of_files(const Node& node) {
  if (!node.span.source || !node.span.source->is_file) return false;
  return std::ranges::all_of(node.items, is_of_files) &&
         std::ranges::all_of(node.members,
                             [](const auto& member) { return is_of_files(member.second); });
}

void drop_keys_of_files(Node& map) {
  std::erase_if(map.members, [](const auto& member) {
    return member.first.text == "mishap" || member.first.text == "api" ||
           member.first.text == "from";
  });
}

}  // namespace

bool looks_like_file(const std::string& text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../") ||
         text.ends_with(".yaml") || text.ends_with(".yml");
}

// Links are followed first: one that leads out of the folder is outside.
bool lies_within(const std::string& folder, const std::filesystem::path& path) {
  if (folder.empty()) return false;
  std::error_code ignored;
  const auto inside = std::filesystem::weakly_canonical(folder, ignored);
  const auto real = std::filesystem::weakly_canonical(path, ignored);
  return std::ranges::mismatch(inside, real).in1 == inside.end();
}

std::optional<ApiSource> ApiFinder::find(const Node& value, const std::string& folder) {
  chain_.clear();
  if (value.is_map()) return from_map(value, folder);
  if (scalar_text(value, "api", problems_) == nullptr) return std::nullopt;
  return named(value, folder);
}

std::optional<ApiSource> ApiFinder::named(const Node& value, const std::string& folder) {
  Place place;
  const auto source = open(value, folder, place);
  if (!source || !enter(place, value)) return std::nullopt;
  auto found = read_file(*source, place);
  chain_.pop_back();
  if (!found) return std::nullopt;
  if (place.shipped) found->base = value.text;
  return found;
}

std::optional<Source> ApiFinder::open(const Node& value, const std::string& folder, Place& place) {
  if (!looks_like_file(value.text)) {
    const Shipped* shipped = shipped_api(value.text);
    if (shipped == nullptr) {
      problems_.error(value.span, unknown_word("api", value.text, shipped_names()));
      return std::nullopt;
    }
    const std::string name = fmt::format("shipped:apis/{}.yaml", shipped->name);
    place = {name, shipped->name, "", true};
    return make_source(name, shipped->text);
  }
  const std::filesystem::path path = std::filesystem::path(folder) / value.text;
  if (confines_ && !lies_within(*confines_, path)) {
    problems_.error(value.span, fmt::format("the file \"{}\" may not be opened here; name a "
                                            "shipped api, or write the api in place",
                                            value.text));
    return std::nullopt;
  }
  auto source = read_source(path.lexically_normal().string());
  if (!source) {
    problems_.error(value.span, source.error());
    return std::nullopt;
  }
  bytes_read_ += (*source)->text.size();
  if (bytes_read_ > kMostBytes) {
    problems_.error(value.span, "the apis of this scenario have more than 4 MiB in all");
    return std::nullopt;
  }
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(path, ignored);
  place = {real.string(), (*source)->name, path.parent_path().string(), false};
  return *source;
}

bool ApiFinder::enter(const Place& place, const Node& value) {
  std::string circle;
  bool closed = false;
  for (const Step& step : chain_) {
    closed = closed || step.identity == place.identity;
    if (closed) circle += step.shown + " -> ";
  }
  if (closed) {
    problems_.error(value.span,
                    fmt::format("these apis go round in a circle: {}{}", circle, place.shown));
    return false;
  }
  if (chain_.size() >= kLongestChain) {
    problems_.error(value.span,
                    fmt::format("more than {} apis come \"from\" one another", kLongestChain));
    return false;
  }
  chain_.push_back({place.identity, place.shown});
  return true;
}

std::optional<ApiSource> ApiFinder::read_file(const Source& source, const Place& place) {
  auto root = read_yaml(source, problems_);
  if (!root) return std::nullopt;
  if (!root->is_map()) {
    problems_.error(root->span, "an api is a map of keys");
    return std::nullopt;
  }
  if (root->find("scenario") != nullptr) {
    problems_.error(root->find("scenario")->span, "this is a scenario; an api begins with \"api\"");
    return std::nullopt;
  }
  if (!check_version(*root, problems_)) return std::nullopt;
  auto found = from_map(*root, place.folder);
  if (found && root->find("api") == nullptr) {
    found->name = std::filesystem::path(place.shown).stem().string();
  }
  return found;
}

// Whoever may only hand in words may not choose where this machine sends requests, neither by a
// scenario nor by the value of a file's parameter.
bool ApiFinder::may_call_upstream(const Node& upstream) {
  if (!confines_ || is_of_files(upstream)) return true;
  problems_.error(upstream.span,
                  "an upstream may not be named here, only in a file of the server's");
  return false;
}

std::optional<ApiSource> ApiFinder::from_map(const Node& map, const std::string& folder) {
  const MapView view(map, api_keys(), problems_);
  const Node* upstream = view.find("upstream");
  if (upstream != nullptr && !may_call_upstream(*upstream)) return std::nullopt;
  ApiSource own{map, "api", ""};
  if (const auto from = beginning_of(view)) {
    if (scalar_text(*from, "from", problems_) == nullptr) return std::nullopt;
    auto base = named(*from, folder);
    if (!base) return std::nullopt;
    own = std::move(*base);
    if (!view.has("from")) own.name = "api";
    Node over = map;
    drop_keys_of_files(over);
    merge(own.node, over);
  }
  drop_keys_of_files(own.node);
  view.name("api", own.name);
  return own;
}

}  // namespace mishap::scenarios
