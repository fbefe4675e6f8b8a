#pragma once

#include <cstdint>
#include <string>

#include "mishap/units.h"

namespace mishap::server {

enum class EffectKind { Created, Replaced, Patched, Deleted };
std::string_view to_string(EffectKind kind);

// Something that took effect on a resource, whether or not anybody was told. A row is written at
// the instant of the change, in the order of the changes.
struct Effect {
  std::uint64_t number = 0;  // from 1, over the run
  Duration at{};             // since the run began
  int lane = 0;
  std::uint64_t exchange = 0;
  std::uint64_t operation = 0;
  EffectKind kind = EffectKind::Created;
  std::string resource;   // "bookings"; under `any` the collection's path
  std::string id;         // "bk_1"
  std::string reference;  // the natural reference, empty where there is none
};

}  // namespace mishap::server
