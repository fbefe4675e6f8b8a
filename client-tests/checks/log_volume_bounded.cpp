#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// An outage does not flood the log.
namespace mishap::client_tests {

namespace {

struct Volume {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
};

Volume printed_by(const Recording& recording, int copy) {
  Volume volume;
  for (const Captured& captured : recording.output) {
    const bool is_own = captured.stream == "stdout" || captured.stream == "stderr";
    if (captured.copy != copy || !is_own) continue;
    volume.lines += captured.lines;
    volume.bytes += captured.bytes;
  }
  return volume;
}

std::uint64_t requests_of(const Recording& recording, int lane) {
  return static_cast<std::uint64_t>(
      std::ranges::count(recording.journal.exchanges, lane, &server::Exchange::lane));
}

bool was_met(const History& history, int lane) {
  return std::ranges::any_of(history.operations, [&](const Operation& operation) {
    return operation.lane == lane && std::ranges::any_of(operation.attempts, was_faulted);
  });
}

struct Limits {
  std::uint64_t lines = 0;  // of one attempt
  std::uint64_t bytes = 0;
  std::uint64_t free_lines = 0;
  std::uint64_t free_bytes = 0;
};

void judge(const Case& c, int lane, const Limits& limits, Tally& tally) {
  const Volume printed = printed_by(c.recording, lane);
  const std::uint64_t requests = requests_of(c.recording, lane);
  const std::uint64_t lines = limits.free_lines + requests * limits.lines;
  const std::uint64_t bytes = limits.free_bytes + requests * limits.bytes;
  const bool kept = printed.lines <= lines && printed.bytes <= bytes;
  Witness cited = said(fmt::format("copy {}: {} lines, {} bytes for {} {} {} lines, {} bytes", lane,
                                   printed.lines, printed.bytes, counted(requests, "request"),
                                   kept ? "<=" : ">", lines, bytes));
  kept ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
}

Finding evaluate(const Case& c, const Params& params) {
  if (!c.recording.child) return not_observed("the client is not ours, so its output is not seen");
  const Limits limits = {static_cast<std::uint64_t>(params.integer("lines")), params.bytes("size"),
                         static_cast<std::uint64_t>(params.integer("free_lines")),
                         params.bytes("free_size")};
  Tally tally;
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) {
    if (was_met(c.history, lane)) judge(c, lane, limits, tally);
  }
  return tally.settle({.failed = "an outage floods the log",
                       .reason = "The client prints far more than a few lines for each attempt.",
                       .held = "a few lines for each attempt",
                       .none = "no fault met the client"});
}

}  // namespace

const CheckDescriptor kLogVolumeBounded = {
    .name = "log_volume_bounded",
    .summary = "an outage does not flood the log",
    .rule = "stdout and stderr <= 200 lines and 64 KiB, and 20 lines and 16 KiB for each request",
    .judged = "clients that are our child and that a fault met",
    .why = "Full disks and log bills turn the vendor's outage into one of your own.",
    .change = "One line for each attempt, and one stack trace at the end; none in a polling loop.",
    .source = "Azure Architecture Center, Transient fault handling (early failures informational)",
    .since = "0.1",
    .params = {{.name = "lines",
                .type = ParamType::Integer,
                .default_text = "20",
                .range = "1..100000",
                .help = "for each request"},
               {.name = "size",
                .type = ParamType::Bytes,
                .default_text = "16KiB",
                .help = "for each request"},
               {.name = "free_lines",
                .type = ParamType::Integer,
                .default_text = "200",
                .range = "0..1000000",
                .help = "whatever was called: a banner, one stack trace"},
               {.name = "free_size",
                .type = ParamType::Bytes,
                .default_text = "64KiB",
                .help = "the same in bytes"}},
    .severity = 20,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
