#include "server/engine/matcher.h"

#include <algorithm>
#include <tuple>

namespace mishap::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has_header(const RequestView& request, const NameValue& wanted) {
  return std::any_of(request.headers.begin(), request.headers.end(), [&](const NameValue& field) {
    return equal_ignoring_case(field.name, wanted.name) && field.value == wanted.value;
  });
}

bool has_pair(const std::vector<NameValue>& pairs, const NameValue& wanted) {
  return std::find(pairs.begin(), pairs.end(), wanted) != pairs.end();
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* RequestView::header(std::string_view name) const {
  for (const NameValue& field : headers) {
    if (equal_ignoring_case(field.name, name)) return &field.value;
  }
  return nullptr;
}

PathPattern::PathPattern(std::string_view pattern) {
  everything_ = pattern == "*" || pattern == "/*";
  if (everything_) return;
  segments_ = parse_target(pattern).segments;
  rest_ = !segments_.empty() && segments_.back() == "*";
  if (rest_) segments_.pop_back();
}

bool PathPattern::matches(const Target& target) const {
  if (everything_) return true;
  const std::size_t given = target.segments.size();
  if (rest_ ? given <= segments_.size() : given != segments_.size()) return false;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (is_named(segments_[i]) ? target.segments[i].empty() : target.segments[i] != segments_[i])
      return false;
  }
  return !segments_.empty() || rest_;
}

RequestMatcher::RequestMatcher(const scenarios::Matcher& matcher)
    : matcher_(matcher), path_(matcher.path) {}

bool RequestMatcher::matches_class(bool safe) const {
  using scenarios::CallClass;
  return matcher_.call_class == CallClass::Any || (matcher_.call_class == CallClass::Safe) == safe;
}

bool RequestMatcher::matches(const RequestView& request, std::string_view method) const {
  if (!matcher_.api.empty() && matcher_.api != request.api) return false;
  if (matcher_.method != "*" && matcher_.method != method) return false;
  if (!matches_class(request.safe) || !path_.matches(request.target)) return false;
  for (const NameValue& wanted : matcher_.headers) {
    if (!has_header(request, wanted)) return false;
  }
  for (const NameValue& wanted : matcher_.query) {
    if (!has_pair(request.target.query, wanted)) return false;
  }
  if (matcher_.body.empty()) return true;
  return request.body &&
         std::all_of(matcher_.body.begin(), matcher_.body.end(), [&](const NameValue& wanted) {
           return has_pair(request.body->members, wanted);
         });
}

bool is_equal(const scenarios::Matcher& a, const scenarios::Matcher& b) {
  const auto meaning = [](const scenarios::Matcher& m) {
    return std::tie(m.api, m.method, m.path, m.call_class, m.headers, m.query, m.body);
  };
  return meaning(a) == meaning(b);
}

bool RequestMatcher::matches_connection(std::string_view api) const {
  return (matcher_.api.empty() || matcher_.api == api) && matcher_.method == "*" &&
         path_.matches_everything() && matcher_.call_class == scenarios::CallClass::Any &&
         matcher_.headers.empty() && matcher_.query.empty() && matcher_.body.empty();
}

}  // namespace mishap::server
