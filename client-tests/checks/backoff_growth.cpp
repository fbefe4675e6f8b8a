#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"
#include "client-tests/statistics/growth.h"
#include "client-tests/statistics/layers.h"

// Waits lengthen.
namespace mishap::client_tests {

namespace {

using statistics::Decision;
using statistics::Sample;
using statistics::Table;

constexpr std::size_t kRetries = 3;
constexpr double kImmediate = 0.05;  // seconds; one such retry is allowed and says nothing

void drop_columns(Table& waits, std::size_t before, std::size_t from) {
  for (Sample& row : waits) {
    row.resize(std::min(row.size(), from));
    row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(std::min(before, row.size())));
  }
}

// What is left to judge by: neither an immediate first retry nor waits that had reached their cap.
Table growing_part(Table waits) {
  const Sample medians = statistics::medians_by_column(waits);
  const std::size_t begin = medians.front() < kImmediate ? 1 : 0;
  const std::size_t plateau = statistics::find_plateau(medians);
  const bool is_cap = plateau > begin && plateau < medians.size();
  drop_columns(waits, begin, is_cap ? plateau + 1 : medians.size());
  return waits;
}

bool waits_at_its_cap(const Case& c, const Sample& medians) {
  if (!c.recording.scenario.promise.max_delay || medians.empty()) return false;
  const double cap = std::chrono::duration<double>(c.bounds.max_delay).count();
  return medians.front() >= 0.8 * cap;
}

std::string shape_of(const Sample& medians) {
  const auto shape = statistics::guess_shape(medians);
  return shape == statistics::Shape::Unknown ? "" : fmt::format(", {}", to_string(shape));
}

Finding too_few(const Case& c, std::size_t waited) {
  const std::string text =
      fmt::format("{} waited {} times", counted(waited, "operation"), kRetries);
  const bool was_asked = static_cast<std::size_t>(c.recording.scenario.copies) >= kInstances;
  if (waited > 0 && was_asked) {
    return inconclusive(fmt::format("only {}, and {} are needed", text, kInstances));
  }
  return not_applicable(
      waited == 0 ? fmt::format("no operation waited {} times by itself", kRetries)
                  : fmt::format("{}, and differently long: {} would tell", text, kInstances));
}

Finding judge(const std::vector<Waits>& waits, const Sample& medians, const Table& judged) {
  const auto growth = statistics::find_growth(judged);
  const std::string measured = fmt::format(
      "medians of {} operations: {}; each {:.2f} times the one before ({:.2f} to {:.2f})",
      waits.size(), list_of_seconds(medians), growth.multiplier, growth.lower, growth.upper);
  Tally tally;
  if (growth.decision == Decision::Yes) {
    tally.held(witness_of(waits, measured + shape_of(medians)));
  } else if (growth.decision == Decision::No) {
    tally.broke(witness_of(waits, measured + " < 1.25"));
  } else {
    tally.open("waits vary too much to say whether they grow", witness_of(waits, measured));
  }
  return tally.settle({.failed = "waits do not grow",
                       .reason = "Each retry came as soon after its failure as the one before.",
                       .held = fmt::format("waits {}, x {:.1f}{}", list_of_seconds(medians),
                                           growth.multiplier, shape_of(medians))});
}

Finding evaluate(const Case& c, const Params&) {
  const auto waits = all_waits(c, kRetries);
  const Table table = table_of(waits);
  if (waits.size() < kInstances && !is_steady(table)) return too_few(c, waits.size());
  const Sample medians = statistics::medians_by_column(table);
  if (waits_at_its_cap(c, medians)) {
    return not_applicable("the first wait is the longest that is promised");
  }
  if (statistics::find_layers(table)) {
    return not_applicable("the waits begin anew in turns: single_retry_layer judges that");
  }
  const Table judged = growing_part(table);
  if (statistics::common_columns(judged) < 2) {
    return not_applicable("no two waits were left between an immediate retry and the longest wait");
  }
  if (*std::ranges::max_element(medians) < kImmediate) {
    return not_applicable("there are no waits: no_immediate_retry judges that");
  }
  return judge(waits, medians, judged);
}

}  // namespace

const CheckDescriptor kBackoffGrowth = {
    .name = "backoff_growth",
    .summary = "waits lengthen from one retry to the next",
    .rule =
        "multiplier of the medians (Theil-Sen slope of their logarithms) > 1.25 and its 95 % range "
        "(bootstrap over operations) above 1.1: pass; the whole range < 1.25: fail",
    .judged =
        "20 or more operations that waited three times by themselves, or fewer whose waits are "
        "alike; an immediate first retry and waits at their cap are left out",
    .why = "What waits equally long for ever leans on a vendor that needs more time than that.",
    .change = "Multiply the wait after each failure, by 2 for instance, up to a cap.",
    .source =
        "gRPC proposal A6; AWS Architecture Blog, Exponential Backoff And Jitter; Google Cloud "
        "Storage, retry strategy",
    .since = "0.1",
    .timing = true,
    .severity = 45,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
