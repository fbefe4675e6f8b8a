#pragma once

#include <cstdint>
#include <vector>

#include "client-tests/checks/by_number.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

// What became of each effect of a recording, told in one pass over all of them.
class EffectFates {
 public:
  EffectFates(const Recording& recording, const ByNumber<server::Exchange>& exchanges);

  // What a request created once more, though it came once, is the vendor's own doing. Of what was
  // created in this recording.
  bool is_vendors_own(const server::Effect& created) const { return at(created) & kVendorsOwn; }
  bool was_deleted_later(const server::Effect& created) const { return at(created) & kDeleted; }

 private:
  static constexpr std::uint8_t kVendorsOwn = 1;
  static constexpr std::uint8_t kDeleted = 2;

  std::uint8_t at(const server::Effect& effect) const {
    return fates_[static_cast<std::size_t>(&effect - first_)];
  }
  void find_vendors_own(const Recording& recording, const ByNumber<server::Exchange>& exchanges);
  void find_deleted(const Recording& recording);

  const server::Effect* first_;
  std::vector<std::uint8_t> fates_;  // of the journal's effects, in their order
};

}  // namespace mishap::client_tests
