#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/request_view.h"

namespace mishap::server {

// "/v1/bookings/:id", "/v1/*" or "*": ":name" is one segment that is not empty, a trailing "*" is
// all that follows its slash.
class PathPattern {
 public:
  explicit PathPattern(std::string_view pattern);
  bool matches(const Target& target) const;
  bool matches_everything() const { return everything_; }
  // What follows the segments is open: at least one more.
  bool leaves_rest_open() const { return rest_; }
  static bool is_named(std::string_view segment) {
    return segment.size() > 1 && segment.front() == ':';
  }
  const std::vector<std::string>& segments() const { return segments_; }

 private:
  bool everything_ = false;
  bool rest_ = false;
  std::vector<std::string> segments_;
};

// A scenario's matcher, made ready.
class RequestMatcher {
 public:
  explicit RequestMatcher(const scenarios::Matcher& matcher);

  // Conditions on the body never hold before it is read.
  bool matches(const RequestView& request) const { return matches(request, request.method); }
  // The same as if it had come with another method.
  bool matches(const RequestView& request, std::string_view method) const;
  // Before there is a request only the api can be told; a matcher that asks for more does not hold.
  bool matches_connection(std::string_view api) const;
  bool needs_body() const { return !matcher_.body.empty(); }
  const scenarios::Matcher& source() const { return matcher_; }
  const PathPattern& path() const { return path_; }

 private:
  bool matches_class(bool safe) const;
  scenarios::Matcher matcher_;
  PathPattern path_;
};

// Whether they mean the same requests, however they are written.
bool is_equal(const scenarios::Matcher& a, const scenarios::Matcher& b);

}  // namespace mishap::server
