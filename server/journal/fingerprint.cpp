// The only file that names xxHash.
#include "server/journal/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mishap::server {
namespace {

Fingerprint made_of(const XXH128_hash_t& hash) {
  return {hash.high64, hash.low64};
}

void append_part(std::string& joined, std::string_view part) {
  const std::uint64_t size = part.size();
  joined.append(reinterpret_cast<const char*>(&size), sizeof size);
  joined += part;
}

}  // namespace

std::string Fingerprint::text() const {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text(15, '\0');
  for (std::size_t i = 0; i < 10; ++i) text[i] = kDigits[high >> (6 * i) & 63U];
  for (std::size_t i = 0; i < 5; ++i) text[10 + i] = kDigits[low >> (6 * i) & 63U];
  return text;
}

Fingerprint fingerprint(std::string_view bytes) {
  return made_of(XXH3_128bits(bytes.data(), bytes.size()));
}

Fingerprint fingerprint_of(std::initializer_list<std::string_view> parts) {
  thread_local std::string joined;
  joined.clear();
  for (const std::string_view part : parts) append_part(joined, part);
  return fingerprint(joined);
}

Fingerprint fingerprint_of_word(std::string_view word) {
  return word.empty() ? Fingerprint{} : fingerprint(word);
}

std::string_view bytes_of(const Fingerprint& print) {
  return {reinterpret_cast<const char*>(&print), sizeof print};
}

struct RunningFingerprint::State {
  XXH3_state_t hash;
};

RunningFingerprint::RunningFingerprint() : state_(new State) {
  XXH3_128bits_reset(&state_->hash);
}

RunningFingerprint::~RunningFingerprint() = default;

void RunningFingerprint::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

Fingerprint RunningFingerprint::so_far() const {
  return made_of(XXH3_128bits_digest(&state_->hash));
}

}  // namespace mishap::server
