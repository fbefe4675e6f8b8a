#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <mishap/history.h>

#include "client-tests/checks/content_table.h"
#include "client-tests/checks/effect_fates.h"

namespace mishap::client_tests {

// How much each copy of the client created in each place (a collection, whatever its spelling),
// without what is the vendor's own doing.
std::map<std::pair<int, std::string>, std::size_t> count_by_place(const Recording& recording,
                                                                  const EffectFates& fates);

// The same by the content of the first attempt of the operations that did it.
ByContent<std::uint32_t> count_by_content(const History& history, const EffectFates& fates);

// A collection whatever its spelling: "/orders/" and "//orders" are "/orders".
std::string place_of(const std::string& resource);

}  // namespace mishap::client_tests
