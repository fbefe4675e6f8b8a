#include "server/wire/effects_to_come.h"

#include <cassert>

namespace mishap::server {

void EffectsToCome::add() {
  const std::lock_guard lock(mutex_);
  ++count_;
}

void EffectsToCome::remove() {
  {
    const std::lock_guard lock(mutex_);
    assert(count_ > 0 && "an exchange is counted once");
    --count_;
  }
  changed_.notify_all();
}

bool EffectsToCome::wait_for_none(Duration patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return count_ == 0; });
}

}  // namespace mishap::server
