#include "server/engine/target.h"

#include <algorithm>

#include "cmake/fuzz/fuzz.h"

// A request target of any bytes: path and segments tell the same, and one that is written with
// every byte escaped is read as what was meant.
namespace mishap::server {
namespace {

using fuzz::hold;

std::string escaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 0xfU]};
  }
  return out;
}

std::string written(const Target& target) {
  std::string out;
  for (const std::string& segment : target.segments) out += "/" + escaped(segment);
  char mark = '?';
  for (const NameValue& pair : target.query) {
    out += mark + escaped(pair.name) + "=" + escaped(pair.value);
    mark = '&';
  }
  return out;
}

void check(std::string_view text) {
  const Target target = parse_target(text);
  if (target.segments.empty()) {
    hold(!target.path.starts_with('/'), "a path has segments");
  } else {
    const auto slashes = std::count(target.path.begin(), target.path.end(), '/');
    hold(static_cast<std::size_t>(slashes) == target.segments.size(), "each slash is a segment");
    const Target again = parse_target(written(target));
    hold(again.segments == target.segments && again.path == target.path, "a path reads as written");
    hold(again.query == target.query, "a query reads as written");
  }
  const std::string parent = parent_path(target);
  hold(parent == "/" || target.path.starts_with(parent + "/"), "a parent is above");
}

}  // namespace
}  // namespace mishap::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::server::check(mishap::fuzz::text_of(data, size));
  return 0;
}
