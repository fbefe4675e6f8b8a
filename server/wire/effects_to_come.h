#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "mishap/units.h"

namespace mishap::server {

// How many exchanges may still take effect. Thread-safe: counted on the I/O thread, waited for
// elsewhere.
class EffectsToCome {
 public:
  void add();
  void remove();
  // Waits until there are none, at most `patience`; tells whether there are none.
  bool wait_for_none(Duration patience);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_ = 0;
};

}  // namespace mishap::server
