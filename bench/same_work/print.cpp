#include "bench/same_work/print.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace same_work {

Print print_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Print print_of(std::initializer_list<std::string_view> parts) {
  static thread_local std::string joined;
  joined.clear();
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    joined.append(reinterpret_cast<const char*>(&size), sizeof size);
    joined += part;
  }
  return print_of(joined);
}

std::string text_of(const Print& print) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text(16, '\0');
  for (std::size_t i = 0; i < 8; ++i) text[i] = kDigits[print.high >> (6 * i) & 63U];
  for (std::size_t i = 0; i < 8; ++i) text[8 + i] = kDigits[print.low >> (6 * i) & 63U];
  return text;
}

}  // namespace same_work
