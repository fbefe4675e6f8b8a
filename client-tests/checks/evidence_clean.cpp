#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"

// Whether our own machinery kept time and lost nothing, so that timing may be judged.
namespace mishap::client_tests {

namespace {

// Nearest rank: of fewer than a hundred it is the worst, so that one long pause of ours shows.
const server::Exchange& at_percentile_99(std::vector<const server::Exchange*>& exchanges) {
  const std::size_t rank = (exchanges.size() * 99 + 99) / 100;
  const auto at = exchanges.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(exchanges.begin(), at, exchanges.end(),
                   [](const auto* a, const auto* b) { return a->receipt.lag < b->receipt.lag; });
  return **at;
}

Finding evaluate(const Case& c, const Params& params) {
  const auto& journal = c.recording.journal;
  if (journal.lost > 0) {
    return inconclusive(fmt::format("{} records of the journal were dropped", journal.lost));
  }
  if (journal.exchanges.empty()) return not_applicable("no request arrived");
  std::vector<const server::Exchange*> exchanges;
  for (const auto& exchange : journal.exchanges) exchanges.push_back(&exchange);
  const auto& slow = at_percentile_99(exchanges);
  const Duration bound = params.duration("lag");
  if (slow.receipt.lag <= bound) {
    return passed(fmt::format("lag {} <= {}", seconds(slow.receipt.lag), seconds(bound)));
  }
  Witness witness;
  witness.statement = fmt::format("lag p99 {} > {}", seconds(slow.receipt.lag), seconds(bound));
  witness.exchanges = {slow.number};
  return inconclusive(
      fmt::format("mishap itself was late by {}: the machine is busy", seconds(slow.receipt.lag)),
      {witness});
}

}  // namespace

const CheckDescriptor kEvidenceClean = {
    .name = "evidence_clean",
    .summary = "timing evidence is usable",
    .rule = "p99 of the mock's own lateness <= 20 ms, no record lost",
    .judged = "every run; where it is in doubt, timing checks are not judged",
    .why = "A late mock must not be charged to the client.",
    .change = "Nothing in the client: run again with fewer --jobs or on a quieter machine.",
    .source = "checks.md section 1, rule 5",
    .since = "0.1",
    .params = {{.name = "lag",
                .type = ParamType::Duration,
                .default_text = "20ms",
                .help = "p99 of lateness above which timing is not judged"}},
    .severity = 5,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
