#pragma once

#include <optional>
#include <string_view>

#include "mishap/journal.h"

namespace mishap::server {

// The value whose name (to_string) is `name`.
std::optional<Role> role_named(std::string_view name);
std::optional<IdentifiedBy> identified_by_named(std::string_view name);
std::optional<Delivery> delivery_named(std::string_view name);
std::optional<Ending> ending_named(std::string_view name);
std::optional<Departure> departure_named(std::string_view name);
std::optional<EffectKind> effect_kind_named(std::string_view name);

}  // namespace mishap::server
