#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "mishap/recording.h"

// The words that stand for values of closed lists in stored runs.
namespace mishap::client_tests {

template <typename Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

inline constexpr Words<OutcomeKind, 3> kOutcomeWords{{
    {OutcomeKind::Succeeded, "succeeded"},
    {OutcomeKind::Failed, "failed"},
    {OutcomeKind::Pending, "pending"},
}};

inline constexpr Words<Stop, 7> kStopWords{{
    {Stop::Exited, "exited"},
    {Stop::Signalled, "signalled"},
    {Stop::Killed, "killed"},
    {Stop::Interrupted, "interrupted"},
    {Stop::NotStarted, "not_started"},
    {Stop::Stopped, "stopped"},
    {Stop::Scripted, "scripted"},
}};

inline constexpr Words<ProcessRole, 2> kRoleWords{{
    {ProcessRole::Command, "command"},
    {ProcessRole::Service, "service"},
}};

inline constexpr Words<scenarios::Level, 4> kLevelWords{{
    {scenarios::Level::Required, "required"},
    {scenarios::Level::Normal, "normal"},
    {scenarios::Level::Advisory, "advisory"},
    {scenarios::Level::Off, "off"},
}};

inline constexpr Words<scenarios::CallClass, 3> kCallClassWords{{
    {scenarios::CallClass::Any, "any"},
    {scenarios::CallClass::Safe, "safe"},
    {scenarios::CallClass::Unsafe, "unsafe"},
}};

inline constexpr Words<Node::Kind, 4> kNodeWords{{
    {Node::Kind::Null, "null"},
    {Node::Kind::Scalar, "scalar"},
    {Node::Kind::List, "list"},
    {Node::Kind::Map, "map"},
}};

constexpr const auto& words_for(OutcomeKind) {
  return kOutcomeWords;
}
constexpr const auto& words_for(Stop) {
  return kStopWords;
}
constexpr const auto& words_for(ProcessRole) {
  return kRoleWords;
}
constexpr const auto& words_for(scenarios::Level) {
  return kLevelWords;
}
constexpr const auto& words_for(scenarios::CallClass) {
  return kCallClassWords;
}
constexpr const auto& words_for(Node::Kind) {
  return kNodeWords;
}

}  // namespace mishap::client_tests
