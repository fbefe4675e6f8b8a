#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// A hostile body cannot exhaust memory.
namespace mishap::client_tests {

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kInFlight = 8 * kMiB;  // buffers of both kernels
constexpr std::uint64_t kAround = 64 * kMiB;   // what reading costs beside the body itself
constexpr Duration kSomeTimeout = std::chrono::seconds(5);  // where none is promised

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / static_cast<double>(kMiB));
}

std::uint64_t peak_of(const Recording& recording, int lane) {
  std::uint64_t peak = 0;
  for (const ProcessFacts& process : recording.processes) {
    if (process.copy == lane && process.samples > 0) peak = std::max(peak, process.peak_rss);
  }
  return peak;
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c), limit_(params.bytes("limit")), streams_(params.boolean("streams")) {}

  void look_at(const server::Exchange& exchange) {
    if (exchange.receipt.bytes_planned <= limit_ + kInFlight) return;
    if (!streams_) judge_bytes(exchange);
    judge_memory(exchange);
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "an answer may be as large as it likes",
         .reason = "The client took, or kept, far more of an answer than any real one has.",
         .held = "stopped below " + megabytes(limit_),
         .none = "no answer was larger than " + megabytes(limit_ + kInFlight)});
  }

 private:
  void judge_bytes(const server::Exchange& exchange) {
    const std::uint64_t taken = exchange.receipt.bytes_written;
    const bool kept = taken <= limit_ + kInFlight;
    Witness cited = said(fmt::format("#{}: took {} of {} {} {}", exchange.number, megabytes(taken),
                                     megabytes(exchange.receipt.bytes_planned), kept ? "<=" : ">",
                                     megabytes(limit_ + kInFlight)));
    cited.exchanges = {exchange.number};
    if (!kept) {
      tally_.broke(std::move(cited));
    } else if (may_be_its_timeout(exchange)) {
      tally_.open("it left when its time was up, and might have read on", std::move(cited));
    } else {
      tally_.held(std::move(cited));
    }
  }

  // Whoever leaves when its time is up would have read on.
  bool may_be_its_timeout(const server::Exchange& exchange) const {
    const Bounds& bounds = case_.bounds;
    const Duration timeout =
        bounds.attempt_timeout_promised ? bounds.attempt_timeout * 8 / 10 : kSomeTimeout;
    const auto& departed = exchange.receipt.departed;
    return departed && *departed - exchange.first_byte >= timeout;
  }

  // Samples may miss a short peak, so that little memory proves nothing by itself.
  void judge_memory(const server::Exchange& exchange) {
    if (!case_.control) return;
    const std::uint64_t peak = peak_of(case_.recording, exchange.lane);
    const std::uint64_t usual = peak_of(*case_.control, lane_in_control(case_, exchange.lane));
    if (peak == 0 || usual == 0 || peak <= usual + limit_ + kAround) return;
    Witness cited =
        said(fmt::format("#{}: memory grew to {} > {} of the healthy run + {}", exchange.number,
                         megabytes(peak), megabytes(usual), megabytes(limit_ + kAround)));
    cited.exchanges = {exchange.number};
    tally_.broke(std::move(cited));
  }

  const Case& case_;
  std::uint64_t limit_;
  bool streams_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params);
  for (const server::Exchange& exchange : c.recording.journal.exchanges) judge.look_at(exchange);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kBoundedResponseSize = {
    .name = "bounded_response_size",
    .summary = "a hostile body cannot exhaust memory",
    .rule =
        "bytes of an answer that were taken <= 64 MiB + 8 MiB in flight; memory <= that of the "
        "healthy run + 128 MiB",
    .judged = "answers that are larger than that (fault large_body)",
    .why = "One broken answer takes the whole process down, and all that it was doing.",
    .change = "Read at most as much as a real answer has, and drop the connection beyond it.",
    .source = "RFC 9110 section 2.3 (a recipient should limit what it accepts)",
    .since = "0.1",
    .params = {{.name = "limit",
                .type = ParamType::Bytes,
                .default_text = "64MiB",
                .help = "more of a body nobody needs"},
               {.name = "streams",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "the client writes what it reads to disk: only its memory is judged"}},
    .severity = 48,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
