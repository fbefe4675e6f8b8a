#include "server/faults/cut.h"

#include <algorithm>
#include <iterator>

#include "server/faults/proof.h"

namespace mishap::server {
namespace {

Steps end_with(Steps steps, CutBy by) {
  switch (by) {
    case CutBy::Fin:
      steps.emplace_back(CloseConnection{});
      break;
    case CutBy::Rst:
      // A RST discards what the kernel has not sent yet.
      if (std::any_of(steps.begin(), steps.end(),
                      [](const Step& step) { return std::holds_alternative<Send>(step); })) {
        steps.emplace_back(AwaitAcknowledged{});
      }
      steps.emplace_back(ResetConnection{});
      break;
    case CutBy::Stall:
      steps.emplace_back(Stall{});
      break;
  }
  return steps;
}

Steps::iterator find_part(Steps& steps, Part part) {
  return std::find_if(steps.begin(), steps.end(), [part](const Step& step) {
    const Send* send = std::get_if<Send>(&step);
    return send != nullptr && send->part == part;
  });
}

// Waits of rules at earlier points stay; all that answers or takes effect goes.
Steps cut_before_anything(Steps steps, CutBy by) {
  const auto first = std::find_if_not(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Wait>(step);
  });
  steps.erase(first, steps.end());
  return end_with(std::move(steps), by);
}

bool shorten(Send& send, Position after) {
  const std::uint64_t kept = after.of(send.bytes.size());
  if (kept >= send.bytes.size()) return false;
  send.bytes.resize(kept);
  return true;
}

Steps cut_head(Steps steps, Position after, CutBy by) {
  const auto head = find_part(steps, Part::Head);
  if (head == steps.end()) return steps;
  const bool body_follows = find_part(steps, Part::Body) != steps.end();
  const bool shortened = shorten(std::get<Send>(*head), after);
  if (!shortened && !body_follows) return steps;
  steps.erase(std::next(head), steps.end());
  return end_with(std::move(steps), by);
}

Steps cut_body(Steps steps, Position after, CutBy by) {
  const auto body = find_part(steps, Part::Body);
  if (body == steps.end() || !shorten(std::get<Send>(*body), after)) return steps;
  steps.erase(std::next(body), steps.end());
  return end_with(std::move(steps), by);
}

Steps cut_after_answer(Steps steps, CutBy by) {
  const auto finish = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Finish>(step);
  });
  if (finish == steps.end()) return steps;
  steps.erase(finish, steps.end());
  return end_with(std::move(steps), by);
}

Shortfall ending_shortfall(const Receipt& receipt, CutBy by) {
  const Ending ending = receipt.ending;
  switch (by) {
    case CutBy::Fin:
      if (ending == Ending::Closed || ending == Ending::Finished) return std::nullopt;
      break;
    case CutBy::Rst:
      if (ending == Ending::Reset) return std::nullopt;
      break;
    case CutBy::Stall:
      // The run may end while it holds, and a client may be gone when it begins.
      if (ending == Ending::Stalled || ending == Ending::Open) return std::nullopt;
      if (ending == Ending::ClientLeft && receipt.departed) return std::nullopt;
      return "the connection was not held silently";
  }
  if (ending == Ending::ClientLeft) return "the client left first";
  return by == CutBy::Rst ? "no RST was sent" : "no FIN was sent";
}

Shortfall accept_shortfall(const Proof& proof, CutBy by) {
  if (proof.connection == nullptr) return "nothing is known of the connection";
  const Connection& connection = *proof.connection;
  if (connection.exchanges != 0) return "a request was read";
  const bool server_first =
      connection.server_ended &&
      (!connection.departed || *connection.server_ended <= *connection.departed);
  if (by == CutBy::Stall) {
    // At its end the run closes what is still held: then nobody left before us.
    if (connection.departed && server_first) return "the server ended the connection first";
    return std::nullopt;
  }
  if (server_first) return std::nullopt;
  return "the client left first";
}

Shortfall silence_shortfall(const Exchange& exchange, bool applied) {
  if (!answered_nothing(exchange)) return "bytes of an answer went out";
  if (applied && !exchange.applied) return "the effect never came";
  if (!applied && exchange.applied) return "it took effect";
  return std::nullopt;
}

// Some, but not all, and what there was of it went out.
Shortfall part_shortfall(const Receipt& receipt, std::string_view part) {
  if (receipt.delivery == Delivery::Complete) {
    return "the answer went out whole: its " + std::string(part) + " is not longer than \"after\"";
  }
  if (receipt.bytes_written < receipt.bytes_planned) return "fewer bytes went out than scripted";
  return std::nullopt;
}

Shortfall bytes_shortfall(const Proof& proof) {
  const Exchange& exchange = proof.exchange;
  switch (proof.point) {
    case Point::RequestHead:
      return silence_shortfall(exchange, false);
    case Point::BeforeEffect:
      if (!exchange.request_read) return "the request was not read whole";
      return silence_shortfall(exchange, false);
    case Point::AfterEffect:
      return silence_shortfall(exchange, true);
    case Point::ResponseHead:
      return part_shortfall(exchange.receipt, "head");
    case Point::ResponseBody:
      if (exchange.receipt.bytes_written == 0) return "not a byte of the answer went out";
      return part_shortfall(exchange.receipt, "body");
    case Point::AfterResponse:
      if (exchange.receipt.delivery == Delivery::Complete) return std::nullopt;
      return "the answer did not go out whole";
    default:
      return "this point is not served";
  }
}

}  // namespace

Steps cut(Steps steps, Point point, Position after, CutBy by) {
  switch (point) {
    case Point::ResponseHead:
      return cut_head(std::move(steps), after, by);
    case Point::ResponseBody:
      return cut_body(std::move(steps), after, by);
    case Point::AfterResponse:
      return cut_after_answer(std::move(steps), by);
    default:
      return cut_before_anything(std::move(steps), by);
  }
}

Position cut_place(const Params& params) {
  return params.has("after") ? params.position("after") : Position{0, 0.5};
}

ParamSpec cut_place_param() {
  return {.name = "after",
          .type = ParamType::Position,
          .range = "0%..100%",
          .help =
              "how much of the head (at response_head) or of the body (at response_body) goes out "
              "before; 50% where not said"};
}

void validate_cut_place(const Params& params, Point point, const SourceSpan& span,
                        Diagnostics& diagnostics) {
  if (!params.has("after")) return;
  const Position after = params.position("after");
  if (point == Point::ResponseBody && after.share && *after.share >= 1) {
    diagnostics.push_back({Severity::Error, "after: 100% of the body leaves nothing to cut", span});
  }
  if (point == Point::ResponseHead || point == Point::ResponseBody) return;
  diagnostics.push_back(
      {Severity::Error,
       "\"after\" says something only at response_head and response_body, not at " +
           std::string(scenarios::to_string(point)),
       span});
}

Shortfall cut_shortfall(const Proof& proof, CutBy by) {
  if (proof.point == Point::Accept) return accept_shortfall(proof, by);
  if (auto missing = bytes_shortfall(proof)) return missing;
  return ending_shortfall(proof.exchange.receipt, by);
}

std::vector<Point> cut_points(Point first) {
  std::vector<Point> points = {Point::Accept,      Point::RequestHead,  Point::BeforeEffect,
                               Point::AfterEffect, Point::ResponseHead, Point::ResponseBody};
  std::rotate(points.begin(), std::find(points.begin(), points.end(), first), points.end());
  std::sort(std::next(points.begin()), points.end());
  return points;
}

}  // namespace mishap::server
