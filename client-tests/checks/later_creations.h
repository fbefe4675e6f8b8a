#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client-tests/checks/check.h"
#include "client-tests/checks/operations_by_name.h"

namespace mishap::client_tests {

// Creates in the same place by other operations, after one was left in doubt and never came again.
// They may be it once more under another name. Where there is a control, those do not count that
// the client names (another reference, an outcome line) or that the control made as well.
class LaterCreations {
 public:
  explicit LaterCreations(const Case& c);

  // How many there are behind this operation.
  std::size_t after(const Operation& operation) const;

 private:
  using Place = std::pair<int, std::string>;  // of a copy of the client

  bool may_be_any(const Operation& operation) const;
  std::vector<Duration> made_in(const Operation& operation, const std::string& place) const;

  const History& history_;
  bool has_control_;
  std::unordered_set<std::string_view> usual_contents_;
  std::map<Place, std::vector<Duration>> by_any_;  // by what may be any operation; in order of time
  // With a control, what the client names can only be what it names the same.
  OperationsByName by_reference_{reference_of};
};

}  // namespace mishap::client_tests
