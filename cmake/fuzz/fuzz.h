#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What fuzz targets share.
namespace mishap::fuzz {

// Ends the process where the property does not hold: that is what a fuzzer calls a finding.
inline void hold(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// How the bytes of one stream arrive.
enum class Cut { Whole, Pieces, Bytes };
inline constexpr Cut kCuts[] = {Cut::Whole, Cut::Pieces, Cut::Bytes};

// Sizes that follow from the bytes themselves: the same input is always cut alike, and an input
// stays plain text that a person can read and write.
class Sizes {
 public:
  explicit Sizes(std::string_view text) {
    for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  std::size_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const auto bits = (state_ >> 60U) / 2;  // small pieces are as likely as large ones
    return 1 + static_cast<std::size_t>((state_ >> 32U) & ((std::uint64_t{1} << bits) - 1));
  }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

template <typename Take>
void feed(std::string_view text, Cut cut, Take take) {
  Sizes sizes(text);
  while (!text.empty()) {
    const std::size_t most = cut == Cut::Bytes    ? 1
                             : cut == Cut::Pieces ? sizes.next()
                                                  : text.size();
    const std::size_t size = std::min(most, text.size());
    take(text.substr(0, size));
    text.remove_prefix(size);
  }
}

}  // namespace mishap::fuzz
