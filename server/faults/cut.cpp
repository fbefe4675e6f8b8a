#include "server/faults/cut.h"

#include <algorithm>
#include <iterator>

#include "server/faults/handshake.h"
#include "server/faults/place.h"

namespace mishap::server {
namespace {

Steps::iterator find_part(Steps& steps, Part part) {
  return std::find_if(steps.begin(), steps.end(), [part](const Step& step) {
    const Send* send = std::get_if<Send>(&step);
    return send != nullptr && send->part == part;
  });
}

// Waits of rules at earlier points stay; all that answers or takes effect goes.
Steps cut_before_anything(Steps steps, CutBy by) {
  const auto first = std::find_if_not(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Wait>(step) || std::holds_alternative<WaitForEvent>(step);
  });
  steps.erase(first, steps.end());
  return end_with(std::move(steps), by);
}

Steps cut_handshake(Steps steps, const Position& after, CutBy by) {
  Handshake* handshake = find_handshake(steps);
  if (handshake == nullptr) return steps;
  handshake->cut = after;
  return end_with(up_to_handshake(std::move(steps)), by);
}

Steps cut_head(Steps steps, const Position& after, CutBy by) {
  const auto head = find_part(steps, Part::Head);
  if (head == steps.end()) return steps;
  std::string& bytes = std::get<Send>(*head).bytes;
  const auto kept = offset_in_head(bytes, after);
  const bool something_follows =
      std::next(head) != steps.end() && find_part(steps, Part::Body) != steps.end();
  if (!kept || (*kept == bytes.size() && !something_follows)) return steps;
  bytes.resize(*kept);
  steps.erase(std::next(head), steps.end());
  return end_with(std::move(steps), by);
}

std::uint64_t size_of(const Step& step) {
  if (const auto* send = std::get_if<Send>(&step)) {
    return send->part == Part::Body ? send->bytes.size() : 0;
  }
  const auto* many = std::get_if<SendMany>(&step);
  return many != nullptr && many->part == Part::Body ? many->unit.size() * many->times : 0;
}

// The first bytes of a step that sends a body, as steps.
Steps beginning_of(Step step, std::uint64_t bytes) {
  Steps steps;
  if (auto* many = std::get_if<SendMany>(&step)) {
    const std::uint64_t rest = bytes % many->unit.size();
    Send last{Part::Body, many->unit.substr(0, rest), 0, {}};
    many->times = bytes / many->unit.size();
    if (many->times > 0) steps.push_back(std::move(step));
    if (rest > 0) steps.emplace_back(std::move(last));
  } else {
    std::get<Send>(step).bytes.resize(bytes);
    steps.push_back(std::move(step));
  }
  return steps;
}

Steps cut_body(Steps steps, const Position& after, CutBy by) {
  const auto is_of_body = [](const Step& step) { return size_of(step) > 0; };
  const auto first = std::find_if(steps.begin(), steps.end(), is_of_body);
  if (first == steps.end()) return steps;
  std::uint64_t total = 0;
  for (const Step& step : steps) total += size_of(step);
  const auto* written = std::get_if<Send>(&*first);
  const auto kept =
      offset_in_body(written != nullptr ? std::string_view(written->bytes) : "", total, after);
  if (!kept || *kept >= total) return steps;
  std::uint64_t left = *kept;
  auto at = first;
  for (; left > size_of(*at); ++at) left -= size_of(*at);
  Steps beginning = beginning_of(std::move(*at), left);
  steps.erase(at, steps.end());
  std::move(beginning.begin(), beginning.end(), std::back_inserter(steps));
  return end_with(std::move(steps), by);
}

Steps cut_after_answer(Steps steps, CutBy by) {
  const auto finish = find_step<Finish>(steps);
  if (finish == steps.end()) return steps;
  steps.erase(finish, steps.end());
  return end_with(std::move(steps), by);
}

// So much of the body is read, and then it ends. Where the body is no longer the exchange goes on
// (the proof says so): steps behind a ReadBody with a limit are for a body that was not whole.
Steps cut_request_body(Steps steps, const Position& after, CutBy by) {
  const auto read = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<ReadBody>(step);
  });
  if (read == steps.end()) return steps;
  std::get<ReadBody>(*read).limit = after.bytes;
  steps.erase(std::next(read), steps.end());
  // What was sent is an invitation at most (100): nothing that a RST must not take along.
  if (by != CutBy::Rst) return end_with(std::move(steps), by);
  steps.emplace_back(ResetConnection{});
  return steps;
}

}  // namespace

Steps end_with(Steps steps, CutBy by) {
  switch (by) {
    case CutBy::Fin:
      steps.emplace_back(CloseConnection{});
      break;
    case CutBy::HalfClose:
      steps.emplace_back(CloseConnection{.half = true});
      break;
    case CutBy::Rst:
      // A RST discards what the kernel has not sent yet.
      if (std::any_of(steps.begin(), steps.end(), [](const Step& step) {
            return std::holds_alternative<Send>(step) || std::holds_alternative<Handshake>(step);
          })) {
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

Steps cut(Steps steps, Point point, const Position& after, CutBy by) {
  switch (point) {
    case Point::Handshake:
      return cut_handshake(std::move(steps), after, by);
    case Point::RequestBody:
      return cut_request_body(std::move(steps), after, by);
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

Position cut_place(const Params& params, Point point) {
  if (params.has("after")) return params.position("after");
  return point == Point::RequestBody ? Position{.bytes = 1} : Position{.share = 0.5};
}

ParamSpec cut_place_param() {
  return {
      .name = "after",
      .type = ParamType::Position,
      .range = "0%..100%",
      .help =
          "how much of the head (at response_head) or of the body (at response_body) goes out "
          "before, or behind which part of it, as in header 2 or chunk 1 + 3B; at handshake how "
          "much of the server's first flight; 50% where not said. At request_body: how many bytes "
          "of it are read before; 1B where not said"};
}

void validate_cut_place(const Params& params, Point point, const SourceSpan& span,
                        Diagnostics& diagnostics) {
  if (!params.has("after")) return;
  const Position after = params.position("after");
  const auto wrong = [&](std::string message) {
    diagnostics.push_back({Severity::Error, std::move(message), span});
  };
  if (point == Point::RequestBody) {
    if (after.share || after.landmark != Landmark::Start) {
      wrong("at request_body \"after\" is a number of bytes: its length is not known before");
    }
    return;
  }
  if (point != Point::ResponseHead && point != Point::ResponseBody && point != Point::Handshake) {
    return wrong(
        "\"after\" says something only at handshake, request_body, response_head and "
        "response_body, not at " +
        std::string(scenarios::to_string(point)));
  }
  if (point == Point::ResponseBody && after.share && *after.share >= 1) {
    wrong("after: 100% of the body leaves nothing to cut");
  }
  if (after.landmark == Landmark::Start) return;
  if (point == Point::Handshake) {
    return wrong(
        "after: at handshake it is bytes (37B) or a share (50%) of the server's first "
        "flight");
  }
  if (is_of_head(after.landmark) != (point == Point::ResponseHead)) {
    wrong("after: \"" + to_string(after) + "\" is a place of the " +
          (is_of_head(after.landmark) ? "head, not of the body" : "body, not of the head"));
  }
}

bool cut_is_harmless(const Params&, Point point) {
  return point == Point::AfterResponse;
}

std::vector<Point> cut_points(Point first) {
  std::vector<Point> points = {Point::Accept,       Point::Handshake,    Point::RequestHead,
                               Point::RequestBody,  Point::BeforeEffect, Point::AfterEffect,
                               Point::ResponseHead, Point::ResponseBody};
  std::rotate(points.begin(), std::find(points.begin(), points.end(), first), points.end());
  std::sort(std::next(points.begin()), points.end());
  return points;
}

}  // namespace mishap::server
