#pragma once

#include <string>
#include <vector>

#include "client-tests/checks/check.h"

// What was created beyond what the healthy control creates, whatever operation it was counted to:
// a second layer of retries, a look-up that failed and was taken for "not there", a hedge.
namespace mishap::client_tests {

struct SurplusCreations {
  std::string place;  // the collection; of equal requests to several, that of the first
  std::vector<const server::Effect*> effects;
  std::size_t usual = 0;  // how many the control made
  // All were made by the same request, byte for byte or as JSON: no client means that twice which
  // does it once on the good day. Else there are only more of them.
  bool equal = false;
};

// By lane; nothing without a control. What a service does again and again on the good day too is no
// surplus of its longer day.
std::vector<SurplusCreations> surplus_creations(const Case& c);

}  // namespace mishap::client_tests
