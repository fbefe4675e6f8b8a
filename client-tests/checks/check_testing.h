#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/history_builder.h"

// What the tests of checks share: a check asked about recordings, and parameters as a user writes
// them.
namespace mishap::client_tests {

using namespace std::chrono_literals;

inline Node parameters(std::initializer_list<std::pair<std::string, std::string>> values) {
  Node map;
  map.kind = Node::Kind::Map;
  for (const auto& [name, value] : values) {
    Node key;
    key.kind = Node::Kind::Scalar;
    key.text = name;
    Node text = key;
    text.text = value;
    map.members.emplace_back(key, text);
  }
  return map;
}

inline Finding ask(const CheckDescriptor& check, const RecordingBuilder& run,
                   const RecordingBuilder* control = nullptr,
                   const RecordingBuilder* comparison = nullptr, const Node& values = {}) {
  const CaseOf told(run, control, comparison);
  return evaluate(check, told.value, values);
}

inline Finding ask(const CheckDescriptor& check, const RecordingBuilder& run, const Node& values) {
  return ask(check, run, nullptr, nullptr, values);
}

inline ProcessFacts& killed(RecordingBuilder& run, Duration at) {
  run.recording().scenario.kill_after = at;
  ProcessFacts& process = run.process(0ms, at, 0);
  process.stop = Stop::Killed;
  return process;
}

// A service that was told to end at `at`.
inline ProcessFacts& stopped(RecordingBuilder& run, Duration at) {
  ProcessFacts& process = run.process(0ms, at + 20ms, 0);
  process.role = ProcessRole::Service;
  process.stop = Stop::Stopped;
  process.told_to_end = at;
  return process;
}

// A request that drove the service, answered at `at`.
inline DriveFacts& driven(RecordingBuilder& run, Duration at, StatusCode status) {
  DriveFacts& drive = run.recording().drives.emplace_back();
  drive.what = "POST http://127.0.0.1:4000/orders";
  drive.ended = at;
  drive.status = status;
  return drive;
}

inline scenarios::Count only(std::uint64_t first, std::uint64_t last) {
  scenarios::Count count;
  count.first = first;
  count.last = last;
  return count;
}

// For the messages of GoogleTest; the words for users belong to the verdict.
inline void PrintTo(Ruling ruling, std::ostream* out) {
  static constexpr const char* kNames[] = {"Pass", "Fail", "Inconclusive", "NotApplicable",
                                           "NotObserved"};
  *out << kNames[static_cast<int>(ruling)];
}

// The statements of all witnesses, for a message and for a look at their numbers.
inline std::string statements(const Finding& finding) {
  std::string text = finding.headline + " " + finding.reason;
  for (const auto& witness : finding.witnesses) text += "\n" + witness.statement;
  for (const auto& warning : finding.warnings) text += "\nwarning: " + warning;
  return text;
}

inline bool mentions(const Finding& finding, const std::string& words) {
  return statements(finding).find(words) != std::string::npos;
}

#define EXPECT_RULING(expected, finding) \
  EXPECT_EQ((finding).ruling, Ruling::expected) << statements(finding)

}  // namespace mishap::client_tests
