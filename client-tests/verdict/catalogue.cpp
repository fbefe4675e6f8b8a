#include <mishap/verdict.h>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

namespace {

CatalogueEntry entry_of(const CheckDescriptor& check) {
  CatalogueEntry entry{check.name, check.summary, check.params, check.since, {}};
  const auto tell = [&](std::string_view heading, std::string_view text) {
    if (!text.empty()) entry.details.emplace_back(heading, text);
  };
  tell("rule", check.rule);
  tell("judged", check.judged);
  tell("why", check.why);
  tell("change", check.change);
  tell("source", check.source);
  return entry;
}

}  // namespace

std::vector<CatalogueEntry> check_catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const CheckDescriptor* check : check_descriptors()) entries.push_back(entry_of(*check));
  return entries;
}

}  // namespace mishap::client_tests
