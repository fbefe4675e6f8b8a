#include "mishap/recorded_match.h"

#include "server/engine/matcher.h"

namespace mishap::server {

bool matches(const scenarios::Matcher& matcher, const Exchange& exchange) {
  scenarios::Matcher without_body = matcher;
  without_body.body.clear();
  RequestView view;
  view.api = exchange.api;
  view.method = exchange.request.method;
  view.target = parse_target(exchange.request.target);
  view.safe = exchange.safe;
  for (const KeptField& field : exchange.request.headers) {
    view.headers.push_back({field.name, field.value});
  }
  return RequestMatcher(without_body).matches(view);
}

}  // namespace mishap::server
