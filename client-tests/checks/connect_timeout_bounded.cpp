#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// A connect that nobody answers is given up in time.
namespace mishap::client_tests {

namespace {

using Source = std::pair<int, Port>;  // of a connect: copy of the client, its port

std::set<Source> accepted_sources(const server::Journal& journal) {
  std::set<Source> accepted;
  for (const auto& connection : journal.connections) {
    accepted.insert({connection.lane, connection.client_port});
  }
  return accepted;
}

// Copies whose connects were left unanswered for a while.
std::set<int> unanswered_lanes(const server::Journal& journal) {
  std::set<int> lanes;
  for (const auto& spell : journal.spells) {
    if (spell.what == "unanswered" && spell.began) lanes.insert(spell.lane);
  }
  return lanes;
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c),
        within_(params.duration("within")),
        limit_(within_ + late_tolerance(within_)),
        accepted_(accepted_sources(c.recording.journal)) {}

  void look_at(int lane) {
    const ProcessFacts* process = process_of(case_.recording, lane);
    if (process == nullptr) return;
    if (process->samples == 0) {
      tally_.open("nothing was seen of the client's sockets", said(fmt::format("copy {}", lane)));
      return;
    }
    for (const SocketSeen& socket : process->sockets) {
      if (!accepted_.contains({lane, socket.local_port})) look_at(lane, *process, socket);
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a connect waited beyond its timeout",
         .reason =
             fmt::format("The client waited longer than {} to be connected.", seconds(within_)),
         .held = fmt::format("{} given up after at most {}", counted(tally_.judged(), "connect"),
                             seconds(longest_)),
         .none = "no connect of the client was left unanswered"});
  }

 private:
  // It was seen to connect from the first sight to the last one, so it waited at least that long.
  void look_at(int lane, const ProcessFacts& process, const SocketSeen& socket) {
    const std::string who = fmt::format("copy {}, port {}", lane, socket.local_port);
    if (!socket.connecting_until) {
      tally_.open("a socket that was let in by nobody was not seen to connect", said(who));
      return;
    }
    const Duration own = own_until(case_.recording, lane);
    const Duration waited = std::min(*socket.connecting_until, own) - socket.first_seen;
    const bool is_too_long = waited > limit_;
    const Witness cited =
        said(fmt::format("{}: seen to connect for {} {} {} + {}", who, seconds(waited),
                         is_too_long ? ">" : "<=", seconds(within_), seconds(limit_ - within_)));
    if (is_too_long) {
      tally_.broke(cited);
    } else if (gave_up(process, socket, own)) {
      longest_ = std::max(longest_, waited);
      tally_.held(cited);
    } else {
      tally_.open(how_it_ended(case_.recording, lane) + " while it was still connecting", cited);
    }
  }

  // Of its own will: the socket was gone while the client lived on, or with its regular end.
  static bool gave_up(const ProcessFacts& process, const SocketSeen& socket, Duration own) {
    constexpr Duration kTwoLooks = std::chrono::milliseconds(200);
    if (socket.last_seen + kTwoLooks < own) return true;
    return process.stop == Stop::Exited && !crashed(process);
  }

  const Case& case_;
  Duration within_;
  Duration limit_;
  std::set<Source> accepted_;
  Duration longest_{};
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  const std::set<int> lanes = unanswered_lanes(c.recording.journal);
  if (!c.recording.child && !lanes.empty()) {
    return not_observed("the client is not our child: its sockets are unknown");
  }
  Judge judge(c, params);
  for (const int lane : lanes) judge.look_at(lane);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kConnectTimeoutBounded = {
    .name = "connect_timeout_bounded",
    .summary = "connecting has a limit of its own",
    .rule = "a socket waits for an answer to its connect (SYN_SENT) <= 10 s + max(250 ms, 10 %)",
    .judged = "connects that the mock leaves unanswered, of a client that is our child",
    .why = "A host that is gone answers nothing: without a limit the kernel waits for two minutes.",
    .change = "Set a timeout for connecting, shorter than that of the whole attempt.",
    .source = "AWS Builders' Library, Timeouts, retries and backoff with jitter",
    .since = "0.1",
    .params = {{.name = "within",
                .type = ParamType::Duration,
                .default_text = "10s",
                .help = "how long connecting may take"}},
    .severity = 70,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
