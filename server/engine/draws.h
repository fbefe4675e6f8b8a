#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/journal.h"
#include "server/faults/fault.h"

namespace mishap::server {

// What a stream of draws belongs to. Nothing in it depends on where a rule stands in its file, so
// that adding a rule moves no other draw.
struct DrawOrigin {
  std::uint64_t seed = 0;
  int lane = 0;
  std::string_view route = {};  // the rule's matcher as written
  std::string_view rule = {};   // name or content of the rule
  // The operation and attempt; before they are known the number of the request or connection within
  // its lane, under its own word.
  std::string_view unit = "operation";
  std::uint64_t ordinal = 0;
  std::uint64_t attempt = 0;
};

// Counter-based: the n-th draw for a purpose is SHA-256 over the origin, the purpose and n, its
// first 53 bits taken as a fraction. No state is shared between streams, so the order in which
// exchanges draw does not matter. Each draw is appended to `record` once.
class DrawStream final : public Draws {
 public:
  DrawStream(const DrawOrigin& origin, std::vector<Draw>& record);

  double uniform(std::string_view purpose) override;
  double normal(std::string_view purpose) override;

 private:
  double next(std::string_view purpose);
  void keep(std::string_view purpose, double value);

  std::string origin_;
  std::vector<Draw>& record_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;  // draws so far, by purpose
};

// Whether a draw from [0, 1) wins at this rate: 0 never, 1 always.
inline bool wins(double draw, double rate) {
  return draw < rate;
}

}  // namespace mishap::server
