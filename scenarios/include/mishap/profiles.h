#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/scenario.h"

namespace mishap::scenarios {

// A named promise: what a client of this kind is usually held to. Numbers to begin with, no laws.
struct Profile {
  std::string_view name;
  std::string_view summary;
  std::span<const ParamSpec> numbers;  // key, value as written, and in `help` where it comes from
  Promise promise() const;
};

const std::vector<Profile>& profiles();
const Profile* find_profile(std::string_view name);  // null: there is none
std::vector<CatalogueEntry> profile_catalogue();     // for `list` and `explain`

std::string profile_table_markdown();

// What `over` says wins; the rest stays.
Promise laid_over(Promise base, const Promise& over);

// "b2b: max_attempts 5, attempt_timeout 10s, ..."; empty where nothing is promised.
std::string describe(const Promise& promise);

}  // namespace mishap::scenarios
