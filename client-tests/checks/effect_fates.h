#pragma once

#include <unordered_set>

#include "client-tests/checks/by_number.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

using ExchangesByNumber = ByNumber<decltype(server::Journal::exchanges)>;

// What became of each effect of a recording, told in one pass over all of them.
class EffectFates {
 public:
  EffectFates(const Recording& recording, const ExchangesByNumber& exchanges);

  // What a request created once more, though it came once, is the vendor's own doing. Of what was
  // created in this recording.
  bool is_vendors_own(const server::Effect& created) const {
    return vendors_own_.contains(&created);
  }
  bool was_deleted_later(const server::Effect& created) const {
    return deleted_.contains(&created);
  }

 private:
  void find_vendors_own(const Recording& recording, const ExchangesByNumber& exchanges);
  void find_deleted(const Recording& recording);

  std::unordered_set<const server::Effect*> vendors_own_;
  std::unordered_set<const server::Effect*> deleted_;
};

}  // namespace mishap::client_tests
