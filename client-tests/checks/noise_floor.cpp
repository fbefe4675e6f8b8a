#include "client-tests/checks/noise_floor.h"

#include <algorithm>
#include <map>
#include <vector>

#include "client-tests/statistics/sample.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kCopies = 8;

bool was_served(const server::Exchange& exchange) {
  return exchange.answer.success && exchange.receipt.delivery == server::Delivery::Complete &&
         exchange.receipt.last_write;
}

// From an answer to the first attempt of the next operation, in the order of one copy's calls.
statistics::Sample turnarounds(const std::vector<const server::Exchange*>& of_copy) {
  statistics::Sample found;
  for (std::size_t i = 1; i < of_copy.size(); ++i) {
    const server::Exchange& before = *of_copy[i - 1];
    const server::Exchange& next = *of_copy[i];
    const bool begins_anew =
        next.identity.attempt == 1 && next.identity.operation != before.identity.operation;
    if (!was_served(before) || !begins_anew || next.first_byte < *before.receipt.last_write) {
      continue;
    }
    const Duration took = next.first_byte - *before.receipt.last_write;
    found.push_back(std::chrono::duration<double>(took).count());
  }
  return found;
}

statistics::Table waits_of(const Calibration& calibration) {
  const auto copies = static_cast<std::size_t>(std::max(1, calibration.copies));
  const std::size_t each = calibration.gaps.size() / copies;
  if (each == 0) return {};
  statistics::Table table(copies);
  for (std::size_t i = 0; i < copies * each; ++i) {
    table[i / each].push_back(std::chrono::duration<double>(calibration.gaps[i]).count());
  }
  return table;
}

std::optional<double> median_spread(const statistics::Table& table) {
  const std::size_t columns = statistics::common_columns(table);
  if (table.size() < kCopies || columns == 0) return std::nullopt;
  statistics::Sample spreads;
  for (std::size_t i = 0; i < columns; ++i) {
    spreads.push_back(statistics::spread(statistics::column(table, i)));
  }
  return statistics::median(spreads);
}

}  // namespace

std::optional<double> noise_of_copies(const Case& c) {
  if (const auto& calibration = c.recording.calibration) {
    if (const auto noise = median_spread(waits_of(*calibration))) return noise;
  }
  std::map<int, std::vector<const server::Exchange*>> by_copy;
  for (const server::Exchange& exchange : c.recording.journal.exchanges) {
    by_copy[exchange.lane].push_back(&exchange);
  }
  statistics::Table table;
  for (auto& [copy, exchanges] : by_copy) {
    std::ranges::stable_sort(exchanges, {}, &server::Exchange::first_byte);
    statistics::Sample row = turnarounds(exchanges);
    if (!row.empty()) table.push_back(std::move(row));
  }
  return median_spread(table);
}

}  // namespace mishap::client_tests
