#include "server/engine/target.h"

#include <algorithm>

#include "server/resources/content.h"

namespace mishap::server {
namespace {

// "http://host:80/a?b" -> "/a?b"; without a path "/".
std::string_view without_origin(std::string_view target) {
  const std::size_t scheme_end = target.find("://");
  if (scheme_end == std::string_view::npos || target.starts_with('/')) return target;
  if (target.find_first_of("/?#") < scheme_end) return target;
  const std::size_t after = target.find_first_of("/?", scheme_end + 3);
  return after == std::string_view::npos ? std::string_view("/") : target.substr(after);
}

std::string shown_segment(const std::string& segment) {
  std::string shown;
  for (const char c : segment) {
    if (c == '/') {
      shown += "%2F";
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

Target parse_target(std::string_view target) {
  Target parsed;
  target = without_origin(target);
  const std::size_t question = target.find('?');
  std::string_view path = target.substr(0, question);
  if (question != std::string_view::npos) parsed.query = read_form(target.substr(question + 1));
  if (path.empty() && question == 0) path = "/";
  if (!path.starts_with('/')) {
    parsed.path = std::string(path);
    return parsed;
  }
  const bool is_plain = path.find('%') == std::string_view::npos;
  if (is_plain) parsed.path = std::string(path);
  parsed.segments.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')));
  while (true) {
    path.remove_prefix(1);
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    parsed.segments.push_back(is_plain ? std::string(segment) : percent_decoded(segment, false));
    if (!is_plain) parsed.path += '/' + shown_segment(parsed.segments.back());
    if (slash == std::string_view::npos) return parsed;
    path.remove_prefix(slash);
  }
}

std::string parent_path(const Target& target) {
  const std::size_t slash = target.path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : target.path.substr(0, slash);
}

}  // namespace mishap::server
