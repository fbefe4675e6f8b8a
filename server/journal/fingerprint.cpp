// The only file that names xxHash.
#include "server/journal/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mishap::server {
namespace {

Fingerprint made_of(const XXH128_hash_t& hash) {
  return {hash.high64, hash.low64};
}

// Each part behind its length.
char* put_part(char* to, std::string_view part) {
  const std::uint64_t size = part.size();
  std::memcpy(to, &size, sizeof size);
  to += sizeof size;
  return std::copy(part.begin(), part.end(), to);
}

Fingerprint fingerprint_in(char* room, std::initializer_list<std::string_view> parts) {
  char* end = room;
  for (const std::string_view part : parts) end = put_part(end, part);
  return fingerprint({room, static_cast<std::size_t>(end - room)});
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
  std::size_t size = 0;
  for (const std::string_view part : parts) size += sizeof(std::uint64_t) + part.size();
  std::array<char, 512> room;
  if (size <= room.size()) return fingerprint_in(room.data(), parts);
  return fingerprint_in(std::string(size, '\0').data(), parts);
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

// States are large, wanted for every answer, and few at a time.
std::vector<std::unique_ptr<RunningFingerprint::State>>& RunningFingerprint::spare_states() {
  thread_local std::vector<std::unique_ptr<State>> spare;
  return spare;
}

RunningFingerprint::RunningFingerprint() {
  auto& spare = spare_states();
  if (spare.empty()) {
    state_ = std::make_unique<State>();
  } else {
    state_ = std::move(spare.back());
    spare.pop_back();
  }
  XXH3_128bits_reset(&state_->hash);
}

RunningFingerprint::~RunningFingerprint() {
  constexpr std::size_t kMost = 16;
  auto& spare = spare_states();
  if (spare.size() < kMost) spare.push_back(std::move(state_));
}

void RunningFingerprint::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

Fingerprint RunningFingerprint::so_far() const {
  return made_of(XXH3_128bits_digest(&state_->hash));
}

}  // namespace mishap::server
