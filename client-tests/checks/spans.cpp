#include "client-tests/checks/spans.h"

#include <algorithm>

namespace mishap::client_tests {

std::vector<Span> merged(std::vector<Span> spans) {
  std::erase_if(spans, [](const Span& span) { return span.end <= span.begin; });
  std::ranges::sort(spans, {}, &Span::begin);
  std::vector<Span> whole;
  for (const Span& span : spans) {
    if (!whole.empty() && span.begin <= whole.back().end) {
      whole.back().end = std::max(whole.back().end, span.end);
    } else {
      whole.push_back(span);
    }
  }
  return whole;
}

std::vector<Span> without(const std::vector<Span>& from, const std::vector<Span>& away) {
  std::vector<Span> left;
  auto next = away.begin();
  for (const Span& span : from) {
    while (next != away.end() && next->end <= span.begin) ++next;
    Duration begin = span.begin;
    for (auto cut = next; cut != away.end() && cut->begin < span.end; ++cut) {
      if (cut->begin > begin) left.push_back({begin, cut->begin});
      begin = cut->end;
    }
    if (begin < span.end) left.push_back({begin, span.end});
  }
  return left;
}

}  // namespace mishap::client_tests
