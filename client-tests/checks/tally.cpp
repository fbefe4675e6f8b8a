#include "client-tests/checks/tally.h"

#include <fmt/format.h>

#include <utility>

namespace mishap::client_tests {

void Tally::open(std::string reason, Witness witness) {
  open_reasons_.push_back(std::move(reason));
  open_.push_back(std::move(witness));
}

Finding Tally::settle(const Words& words) const {
  Finding finding;
  if (!broken_.empty()) {
    finding = failed(words.failed, words.reason, broken_);
  } else if (!open_.empty()) {
    finding = inconclusive(open_reasons_.front(), open_);
  } else if (!held_.empty()) {
    finding = passed(words.held);
    finding.witnesses = held_;
  } else {
    finding = not_applicable(words.none);
  }
  finding.warnings = warnings_;
  return finding;
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
