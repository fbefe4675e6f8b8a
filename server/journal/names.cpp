#include "server/journal/names.h"

#include <array>
#include <cstddef>

namespace mishap::server {
namespace {

// Names in the order of the enumerators.
constexpr std::array<std::string_view, 6> kRoles = {"attempt", "transport_resend", "lookup",
                                                    "poll",    "unmatched",        "rejected"};
constexpr std::array<std::string_view, 5> kIdentifiedBy = {"nothing", "configured", "reference",
                                                           "key", "content"};
constexpr std::array<std::string_view, 4> kDeliveries = {"nothing", "part_of_head", "part_of_body",
                                                         "complete"};
constexpr std::array<std::string_view, 8> kEndings = {
    "open", "kept_alive", "finished", "closed", "reset", "stalled", "client_left", "failed"};
constexpr std::array<std::string_view, 3> kDepartures = {"none", "fin", "rst"};
constexpr std::array<std::string_view, 4> kEffectKinds = {"created", "replaced", "patched",
                                                          "deleted"};

template <typename Enum, std::size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : std::string_view("?");
}

template <typename Enum, std::size_t N>
std::optional<Enum> value_in(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Role role) {
  return name_in(kRoles, role);
}
std::string_view to_string(IdentifiedBy by) {
  return name_in(kIdentifiedBy, by);
}
std::string_view to_string(Delivery delivery) {
  return name_in(kDeliveries, delivery);
}
std::string_view to_string(Ending ending) {
  return name_in(kEndings, ending);
}
std::string_view to_string(Departure departure) {
  return name_in(kDepartures, departure);
}
std::string_view to_string(EffectKind kind) {
  return name_in(kEffectKinds, kind);
}

std::optional<Role> role_named(std::string_view name) {
  return value_in<Role>(kRoles, name);
}
std::optional<IdentifiedBy> identified_by_named(std::string_view name) {
  return value_in<IdentifiedBy>(kIdentifiedBy, name);
}
std::optional<Delivery> delivery_named(std::string_view name) {
  return value_in<Delivery>(kDeliveries, name);
}
std::optional<Ending> ending_named(std::string_view name) {
  return value_in<Ending>(kEndings, name);
}
std::optional<Departure> departure_named(std::string_view name) {
  return value_in<Departure>(kDepartures, name);
}
std::optional<EffectKind> effect_kind_named(std::string_view name) {
  return value_in<EffectKind>(kEffectKinds, name);
}

}  // namespace mishap::server
