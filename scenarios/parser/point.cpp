#include <array>
#include <utility>

#include "mishap/scenario.h"

namespace mishap::scenarios {
namespace {

constexpr std::array<std::pair<Point, std::string_view>, 11> kPoints{{
    {Point::Connect, "connect"},
    {Point::Accept, "accept"},
    {Point::Handshake, "handshake"},
    {Point::RequestHead, "request_head"},
    {Point::RequestBody, "request_body"},
    {Point::BeforeEffect, "before_effect"},
    {Point::AfterEffect, "after_effect"},
    {Point::ResponseHead, "response_head"},
    {Point::ResponseBody, "response_body"},
    {Point::AfterResponse, "after_response"},
    {Point::Idle, "idle"},
}};

struct Explained {
  Point point;
  std::string_view summary;
  std::string_view met_by;
  std::string_view client;
  std::string_view example;  // an entry of `faults`
};

constexpr std::string_view kConnection = "a connection: it counts with when: {connection: ..}";
constexpr std::string_view kRequest =
    "a request: it counts with when: {op: .., attempt: .., request: ..}";

constexpr std::array<Explained, 11> kExplained{{
    {Point::Connect, "Before a connection is accepted.",
     "the listener of an api, so whoever connects", "nothing was sent",
     "{on: any, fault: {kind: refuse, for: 2s}}"},
    {Point::Accept, "A connection was accepted, and nothing of it was read.", kConnection,
     "nothing was done for it, whatever it has sent",
     "{on: any, when: {connection: 1}, at: accept, do: reset}"},
    {Point::Handshake, "Instead of the server's first flight of TLS, or in the middle of it.",
     "a connection to an api with tls: true, or by way of --intercept; it counts with when: "
     "{connection: ..}",
     "no request was sent", "{on: any, at: handshake, after: 9B, do: close}"},
    {Point::RequestHead, "The head of a request was read, and its body was not.",
     "a request: it counts with when: {request: ..}; which attempt it is is not known yet",
     "nothing was done for it", "{on: any, at: request_head, do: stall}"},
    {Point::RequestBody, "While the body of a request is read.",
     "a request that may have a body: it counts with when: {request: ..}",
     "nothing was done for it", "{on: POST /v1/x, at: request_body, after: 5B, do: reset}"},
    {Point::BeforeEffect, "The request was read whole, and the vendor has not acted.", kRequest,
     "it cannot tell this from what comes after the effect",
     "{on: POST /v1/x, at: before_effect, do: reset}"},
    {Point::AfterEffect, "The vendor has acted, and nothing of the answer was sent.", kRequest,
     "it took effect, and the client does not know",
     "{on: POST /v1/x, when: {attempt: 1}, fault: response_lost}"},
    {Point::ResponseHead, "While the head of the answer goes out.", kRequest,
     "it took effect; of the answer there is the beginning of a head",
     "{on: any, at: response_head, after: header 1, do: reset}"},
    {Point::ResponseBody, "While the body of the answer goes out.", kRequest,
     "it took effect; it knows the status and a part of the body",
     "{on: any, at: response_body, after: 50%, do: reset}"},
    {Point::AfterResponse, "The answer was sent whole.", kRequest,
     "it has its answer; the connection is what is wrong",
     "{on: any, at: after_response, do: close}"},
    {Point::Idle, "The connection rests between two requests.",
     "a request: the rest behind its answer", "its next request may meet the end of the connection",
     "{on: any, fault: {kind: idle_close, after: 1s}}"},
}};

}  // namespace

std::vector<CatalogueEntry> point_catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const Explained& one : kExplained) {
    entries.push_back({to_string(one.point),
                       one.summary,
                       {},
                       "0.1",
                       {{"use", "at: NAME in a rule; where none is written a fault has its own"},
                        {"met by", one.met_by},
                        {"client", one.client},
                        {"example", one.example}}});
  }
  return entries;
}

std::string_view to_string(Point point) {
  return kPoints[static_cast<std::size_t>(point)].second;
}

std::optional<Point> point_named(std::string_view text) {
  for (const auto& [point, name] : kPoints) {
    if (name == text) return point;
  }
  return std::nullopt;
}

std::vector<std::string> point_names() {
  std::vector<std::string> names;
  for (const auto& entry : kPoints) names.emplace_back(entry.second);
  return names;
}

}  // namespace mishap::scenarios
