#include "cli/pending_lines.h"

#include <cstddef>
#include <iostream>
#include <utility>

namespace mishap::cli {
namespace {

constexpr std::size_t kMost = 16 * 1024 * 1024;

}  // namespace

void PendingLines::add(std::string_view label, std::string_view line) {
  {
    const std::lock_guard lock(putting_down_);
    pending_ += label;
    pending_ += line;
    pending_ += '\n';
    if (pending_.size() < kMost) return;
  }
  show();
}

void PendingLines::show() {
  const std::lock_guard lock(showing_);
  going_out_.clear();
  {
    const std::lock_guard swap_lock(putting_down_);
    std::swap(pending_, going_out_);
  }
  // A terminal or a pipe may take its time, in which others go on putting down.
  std::cout << going_out_ << std::flush;
}

}  // namespace mishap::cli
