#pragma once

#include <string>
#include <vector>

#include "client-tests/checks/check.h"
#include "client-tests/statistics/sample.h"

// How long a client waits by its own choice between attempts, over many operations or copies: what
// the checks on backoff and jitter compare.
namespace mishap::client_tests {

struct Waits {
  const Operation* operation = nullptr;
  std::vector<const Attempt*> attempts;  // the first, and each that came after a wait
  statistics::Sample seconds;            // one fewer than attempts
};

// The waits of an operation in order, up to the first that is not its own: asked for by a
// Retry-After, a hedge, another life. Empty where its attempts may be something else than retries
// (polls, lookups, calls of others with equal content).
Waits own_waits(const Case& c, const Operation& operation);

// All operations that waited so often, of the method that most of them have.
std::vector<Waits> all_waits(const Case& c, std::size_t at_least);

// Of these, only what waited at one time: the first operation of each copy, and whatever else of
// the copy had failed before that one tried again.
std::vector<Waits> parallel_waits(const Case& c, std::size_t at_least);

// Rows of equal length, the shortest that is left.
statistics::Table table_of(const std::vector<Waits>& waits);

// All instances wait alike, within a tenth or 20 ms: then a few say as much as many.
bool is_steady(const statistics::Table& waits);

// Cites the first few operations.
Witness witness_of(const std::vector<Waits>& waits, std::string statement);

// "0.10 s, 0.21 s"
std::string list_of_seconds(const statistics::Sample& values);
std::string in_seconds(double value);

// From so many instances on a distribution says something (checks.md section 3.6).
inline constexpr std::size_t kInstances = 20;

}  // namespace mishap::client_tests
