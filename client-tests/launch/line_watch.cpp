#include "client-tests/launch/line_watch.h"

#include <algorithm>

namespace mishap::client_tests {

void LineWatch::take(std::string_view chunk) {
  while (!seen_ && !chunk.empty()) {
    const std::size_t end = std::min(chunk.find('\n'), chunk.size());
    line_.append(chunk.substr(0, std::min(end, kLongestLine - line_.size())));
    if (end == chunk.size()) return;
    end_line();
    chunk.remove_prefix(end + 1);
  }
}

void LineWatch::end_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  seen_ = !line_.empty() && pattern_.matches(line_);
  line_.clear();
}

}  // namespace mishap::client_tests
