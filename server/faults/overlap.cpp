#include "server/faults/overlap.h"

#include <algorithm>
#include <vector>

namespace mishap::server {
namespace {

using scenarios::CallClass;
using scenarios::Count;
using scenarios::FaultRule;
using scenarios::Matcher;
using scenarios::When;

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// As the matcher of the engine has it.
bool is_everything(std::string_view path) {
  return path == "*" || path == "/*";
}

bool is_name(std::string_view segment) {
  return segment.starts_with(':');
}

// Percent-encoded text is compared by the engine once it is decoded: not worth an error here.
bool segments_may_meet(std::string_view a, std::string_view b) {
  const bool encoded = a.find('%') != a.npos || b.find('%') != b.npos;
  return encoded || is_name(a) || is_name(b) || a == b;
}

bool covers_segment(std::string_view general, std::string_view special) {
  if (special == "*") return false;
  return is_name(general) ? !special.empty() : general == special;
}

bool covers_path(std::string_view general, std::string_view special) {
  if (is_everything(general)) return true;
  const auto a = segments(general);
  const auto b = segments(special);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i >= b.size()) return false;
    if (a[i] == "*" && i + 1 == a.size()) return true;
    if (!covers_segment(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

bool covers_fields(const std::vector<NameValue>& general, const std::vector<NameValue>& special) {
  return std::all_of(general.begin(), general.end(), [&](const NameValue& field) {
    return std::find(special.begin(), special.end(), field) != special.end();
  });
}

bool covers_count(const std::optional<Count>& general, const std::optional<Count>& special) {
  if (!general) return true;
  if (!special) return false;
  if (general->every != 0) return special->every != 0 && special->every % general->every == 0;
  if (special->every != 0) return general->first <= special->every && general->last == Count{}.last;
  return general->first <= special->first && special->last <= general->last;
}

bool covers_time(const When& general, const When& special) {
  if (!general.during_phase.empty()) return general.during_phase == special.during_phase;
  if (!general.during) return true;
  return special.during && general.during->first <= special.during->first &&
         special.during->second <= general.during->second;
}

}  // namespace

bool paths_may_meet(std::string_view a, std::string_view b) {
  if (is_everything(a) || is_everything(b)) return true;
  const auto left = segments(a);
  const auto right = segments(b);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const bool rest_left = i < left.size() && left[i] == "*";
    const bool rest_right = i < right.size() && right[i] == "*";
    if (rest_left || rest_right) return true;
    if (i >= left.size() || i >= right.size()) return false;
    if (!segments_may_meet(left[i], right[i])) return false;
  }
  return true;
}

bool covers(const Matcher& general, const Matcher& special) {
  const bool call =
      general.call_class == CallClass::Any || general.call_class == special.call_class;
  return call && (general.api.empty() || general.api == special.api) &&
         (general.method == "*" || general.method == special.method) &&
         covers_path(general.path, special.path) &&
         covers_fields(general.headers, special.headers) &&
         covers_fields(general.query, special.query) && covers_fields(general.body, special.body);
}

bool holds_whenever(const FaultRule& general, const FaultRule& special) {
  const When& a = general.when;
  const When& b = special.when;
  if (a.rate < 1.0 || a.rate_at_end || !covers_time(a, b)) return false;
  // What the rule's own matcher met is counted: two rules count alike when they match alike.
  if ((a.request || a.op) && !covers(special.on, general.on)) return false;
  return covers_count(a.op, b.op) && covers_count(a.attempt, b.attempt) &&
         covers_count(a.request, b.request) && covers_count(a.connection, b.connection) &&
         covers_count(a.request_on_connection, b.request_on_connection) &&
         covers_count(a.copy, b.copy);
}

}  // namespace mishap::server
