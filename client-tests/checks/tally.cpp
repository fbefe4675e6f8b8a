#include "client-tests/checks/tally.h"

#include <fmt/format.h>

#include <utility>

namespace mishap::client_tests {

void Tally::open(std::string reason, Witness witness) {
  open_reasons_.push_back(std::move(reason));
  open_.push_back(std::move(witness));
}

template <typename Self>
Finding Tally::settle(Self&& self, const Words& words) {
  Finding finding;
  if (!self.broken_.empty()) {
    finding = failed(words.failed, words.reason, std::forward<Self>(self).broken_);
  } else if (!self.open_.empty()) {
    finding = inconclusive(self.open_reasons_.front(), std::forward<Self>(self).open_);
  } else if (!self.held_.empty()) {
    finding = passed(words.held);
    finding.witnesses = std::forward<Self>(self).held_;
  } else {
    finding = not_applicable(words.none);
  }
  finding.warnings = std::forward<Self>(self).warnings_;
  return finding;
}

Finding Tally::settle(const Words& words) const& {
  return settle(*this, words);
}

Finding Tally::settle(const Words& words) && {
  return settle(std::move(*this), words);
}

Witness said(std::string statement) {
  Witness witness;
  witness.statement = std::move(statement);
  return witness;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace mishap::client_tests
