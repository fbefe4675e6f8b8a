#include "client-tests/checks/spans.h"

#include <algorithm>

namespace mishap::client_tests {

std::vector<TimeSpan> merged(std::vector<TimeSpan> spans) {
  std::erase_if(spans, [](const TimeSpan& span) { return span.end <= span.begin; });
  std::ranges::sort(spans, {}, &TimeSpan::begin);
  std::vector<TimeSpan> whole;
  for (const TimeSpan& span : spans) {
    if (!whole.empty() && span.begin <= whole.back().end) {
      whole.back().end = std::max(whole.back().end, span.end);
    } else {
      whole.push_back(span);
    }
  }
  return whole;
}

std::vector<TimeSpan> without(const std::vector<TimeSpan>& from,
                              const std::vector<TimeSpan>& away) {
  std::vector<TimeSpan> left;
  auto next = away.begin();
  for (const TimeSpan& span : from) {
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
