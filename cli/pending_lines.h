#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace mishap::cli {

// Lines for stdout that come on threads which must not wait for whoever reads it: they are put
// down, and shown by another thread at its next look. Safe from any thread.
class PendingLines {
 public:
  // Shows them itself only when nobody has for so long that there is no room; none is dropped.
  void add(std::string_view label, std::string_view line);
  void show();

 private:
  std::mutex putting_down_;
  std::string pending_;
  std::mutex showing_;  // taken first
  std::string going_out_;
};

}  // namespace mishap::cli
