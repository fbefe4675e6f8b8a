#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// A server that cannot be trusted is told nothing: not over TLS, and not in the clear instead.
namespace mishap::client_tests {

namespace {

using server::Connection;
using server::Exchange;

bool saw_our_flight(const Connection& connection) {
  return connection.tls && connection.tls->hello && connection.tls->flight_planned > 0 &&
         connection.tls->flight_sent == connection.tls->flight_planned;
}

bool was_shown_a_bad_certificate(const Connection& connection) {
  return saw_our_flight(connection) && connection.tls->certificate != "good";
}

// Instead of TLS: to a port that speaks it, or by way of the proxy, which leads there in both ways.
bool is_plain(const Connection& connection) {
  if (connection.tls) return connection.tls->plain_http;
  return !connection.asked_for.empty() && connection.exchanges > 0;
}

// Who speaks both on the good day means to.
bool mixes_both(const Recording& control) {
  return std::ranges::any_of(control.journal.connections, is_plain);
}

std::map<int, std::size_t> operations_by_lane(const History& history) {
  std::map<int, std::size_t> counts;
  for (const Operation& operation : history.operations) ++counts[operation.lane];
  return counts;
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : recording_(c.recording),
        control_(c.control),
        handshakes_(static_cast<std::size_t>(params.integer("handshakes"))) {
    if (c.control_history) usual_ = operations_by_lane(*c.control_history);
    for (const Exchange& exchange : recording_.journal.exchanges) {
      first_requests_.try_emplace(exchange.connection, &exchange);
    }
  }

  void look_at(const Connection& connection) {
    if (is_plain(connection)) return judge_plain(connection);
    if (connection.tls && connection.tls->hello) {
      tls_spoken_.try_emplace({connection.lane, connection.api}, connection.number);
    }
    if (!was_shown_a_bad_certificate(connection)) return;
    const std::string& certificate = connection.tls->certificate;
    const auto found = first_requests_.find(connection.number);
    if (found != first_requests_.end()) {
      const Exchange* request = found->second;
      Witness witness = said(fmt::format(
          "connection {}, certificate {}: {} {} was sent all the same", connection.number,
          certificate, request->request.method, request->request.path));
      witness.exchanges = {request->number};
      is_trusted_ = true;
      return tally_.broke(std::move(witness));
    }
    ++refused_[connection.lane];
    tally_.held(said(fmt::format("connection {}, certificate {}: no request was sent",
                                 connection.number, certificate)));
  }

  Finding settle() {
    for (const auto& [lane, refused] : refused_) judge_repetition(lane, refused);
    if (!tally_.any_broken() && tally_.judged() > 0) ask_for_the_good_day();
    return std::move(tally_).settle(
        {.failed = is_trusted_ ? "a server that cannot be trusted is trusted"
                               : "a bad certificate is tried over and over",
         .reason =
             is_trusted_
                 ? "Whoever answers in the vendor's place gets the credentials and the orders."
                 : "No further attempt makes it good: this wants a person, and soon.",
         .held = "no request after " + counted(tally_.judged(), "bad certificate"),
         .none = "no certificate was bad, and nobody went on in plain HTTP"});
  }

 private:
  // A copy of the client that spoke TLS before has not just been given the wrong URL.
  void judge_plain(const Connection& connection) {
    if (control_ && mixes_both(*control_)) return;
    const auto before = tls_spoken_.find({connection.lane, connection.api});
    if (before == tls_spoken_.end()) return;
    is_trusted_ = true;
    tally_.broke(said(fmt::format("connection {} spoke plain HTTP after connection {} spoke TLS",
                                  connection.number, before->second)));
  }

  // No further attempt makes a certificate good. What the client usually does tells how often it
  // may come to it.
  void judge_repetition(int lane, std::size_t refused) {
    const auto usual = usual_.find(lane);
    if (usual == usual_.end()) return;
    const std::size_t allowed = handshakes_ * usual->second;
    if (refused <= allowed) return;
    tally_.broke(said(fmt::format("{} handshakes > {} for {}", refused, allowed,
                                  counted(usual->second, "operation"))));
  }

  // Who refuses every certificate proves nothing by refusing a bad one.
  void ask_for_the_good_day() {
    const bool trusts_the_good_one =
        control_ && std::ranges::any_of(control_->journal.connections, [](const Connection& one) {
          return one.exchanges > 0 && one.tls && one.tls->finished;
        });
    if (trusts_the_good_one) return;
    tally_.open("the client was not seen to accept a good certificate", Witness{});
  }

  const Recording& recording_;
  const Recording* control_;
  std::size_t handshakes_;
  bool is_trusted_ = false;
  std::map<int, std::size_t> usual_;
  std::map<int, std::size_t> refused_;
  std::unordered_map<std::uint64_t, const Exchange*> first_requests_;  // by connection
  std::map<std::pair<int, std::string>, std::uint64_t> tls_spoken_;    // lane, api -> first such
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params);
  for (const Connection& connection : c.recording.journal.connections) judge.look_at(connection);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kTlsVerificationEnforced = {
    .name = "tls_verification_enforced",
    .summary = "a server with a bad certificate is told nothing",
    .rule =
        "no request on a connection whose certificate was bad, handshakes with one <= handshakes x "
        "operations of the healthy run, and no plain HTTP to a port on which TLS was spoken before",
    .judged =
        "runs in which a bad certificate was shown, or TLS was given up for plain HTTP; the "
        "healthy control must have accepted the good one",
    .why = "Whoever answers in the vendor's place gets the credentials and the orders.",
    .change =
        "Verify chain, dates and name of the certificate, report a bad one at once as an error of "
        "its own, and never fall back to plain HTTP.",
    .source = "RFC 9110 section 4.3.4, RFC 9325 section 3.2",
    .since = "0.1",
    .params = {{.name = "handshakes",
                .type = ParamType::Integer,
                .default_text = "2",
                .range = "1..",
                .help = "with a bad certificate, for each operation of the healthy run"}},
    .severity = 96,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
