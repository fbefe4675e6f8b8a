#pragma once

#include <string>
#include <vector>

#include "client-tests/checks/check.h"

// What a check found while it walked through the occasions of a run, and the ruling that follows:
// one that broke the rule outweighs all, one that could not be told outweighs those that held.
namespace mishap::client_tests {

class Tally {
 public:
  void broke(Witness witness) { broken_.push_back(std::move(witness)); }
  void held(Witness witness) { held_.push_back(std::move(witness)); }
  void open(std::string reason, Witness witness);
  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  bool any_broken() const { return !broken_.empty(); }
  bool any_open() const { return !open_.empty(); }
  std::size_t judged() const { return broken_.size() + held_.size(); }

  // `headline` and `reason` of a fail; `held` is the headline of a pass; `none` is why the check
  // does not apply where there was no occasion at all.
  struct Words {
    std::string failed{};
    std::string reason{};
    std::string held{};
    std::string none{};
  };
  Finding settle(const Words& words) const&;
  // Of a large run the witnesses are many: they are handed on, not copied.
  Finding settle(const Words& words) &&;

 private:
  template <typename Self>
  static Finding settle(Self&& self, const Words& words);

  std::vector<Witness> broken_;
  std::vector<Witness> held_;
  std::vector<Witness> open_;
  std::vector<std::string> open_reasons_;
  std::vector<std::string> warnings_;
};

// A witness that is a sentence about the run as a whole.
Witness said(std::string statement);

// "1 operation", "3 operations".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace mishap::client_tests
