#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mishap/node.h"
#include "scenarios/parser/problems.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {

// An api with all that it comes `from`, as one map. Without the keys mishap, api and from.
struct ApiSource {
  Node node;
  std::string name;
  std::string base;  // the shipped api it came from; empty: none
};

using Confines = std::optional<std::string>;

// Finds apis: shipped ones by name, files by path, maps in place; follows `from`. Bounded: at most
// 16 steps of `from` and 4 MiB of files in all.
class ApiFinder {
 public:
  // `confines`: the folder outside of which no file is opened, empty: no file at all; not set: any.
  ApiFinder(Problems& problems, Confines confines)
      : problems_(problems), confines_(std::move(confines)) {}

  // `value` is what stands behind `api:`; relative paths are taken from `folder`.
  std::optional<ApiSource> find(const Node& value, const std::string& folder);

 private:
  struct Place {
    std::string identity;  // the same for the same file however it is named
    std::string shown;
    std::string folder;
    bool shipped = false;
  };
  struct Step {
    std::string identity;
    std::string shown;
  };

  bool may_call_upstream(const Node& upstream);
  std::optional<ApiSource> named(const Node& value, const std::string& folder);
  std::optional<ApiSource> from_map(const Node& map, const std::string& folder);
  std::optional<Source> open(const Node& value, const std::string& folder, Place& place);
  bool enter(const Place& place, const Node& value);
  std::optional<ApiSource> read_file(const Source& source, const Place& place);

  Problems& problems_;
  Confines confines_;
  std::vector<Step> chain_;
  std::size_t bytes_read_ = 0;
};

// Whether this is a path rather than a shipped name: has a slash first or after dots, or ends in
// .yaml or .yml.
bool looks_like_file(const std::string& text);

// Whether a file lies in a folder, after all links; nothing lies in the empty one.
bool lies_within(const std::string& folder, const std::filesystem::path& path);

}  // namespace mishap::scenarios
