#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace same_work {

// What stands for bytes where only their equality matters: XXH3, 128 bits. All zero: of nothing.
struct Print {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  explicit operator bool() const { return high != 0 || low != 0; }
  bool operator==(const Print&) const = default;
};

struct PrintHash {
  std::size_t operator()(const Print& print) const { return print.low; }
};

Print print_of(std::string_view bytes);
// Of parts, so that no two lists of parts stand for the same.
Print print_of(std::initializer_list<std::string_view> parts);

// 16 characters that need no escape anywhere.
std::string text_of(const Print& print);

}  // namespace same_work
