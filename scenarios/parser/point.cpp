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

}  // namespace

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
