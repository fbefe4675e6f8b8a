#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mishap::server {

// What stands for bytes where only their equality matters: XXH3, 128 bits. It is made for every
// request many times over, and nobody gains by forging it: a client that makes two of its own
// bodies look alike deceives its own test. What must not be guessed back is hashed with SHA-256
// (hash.h). All zero: of nothing.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  explicit operator bool() const { return high != 0 || low != 0; }
  auto operator<=>(const Fingerprint&) const = default;
  // As the journal keeps it: 15 characters of base64url (RFC 4648 section 5), which are 90 bits. A
  // million bodies have two alike by chance with less than 1 in 10^15.
  std::string text() const;
};

Fingerprint fingerprint(std::string_view bytes);
// Of parts, so that no two lists of parts stand for the same.
Fingerprint fingerprint_of(std::initializer_list<std::string_view> parts);
// Of a word; of an empty one, which stands for none: none.
Fingerprint fingerprint_of_word(std::string_view word);
// As a part of another.
std::string_view bytes_of(const Fingerprint& print);

// The same of bytes that come in pieces.
class RunningFingerprint {
 public:
  RunningFingerprint();
  ~RunningFingerprint();
  RunningFingerprint(const RunningFingerprint&) = delete;
  RunningFingerprint& operator=(const RunningFingerprint&) = delete;

  void add(std::string_view bytes);
  Fingerprint so_far() const;

 private:
  struct State;
  static std::vector<std::unique_ptr<State>>& spare_states();
  std::unique_ptr<State> state_;
};

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& print) const { return print.low; }
};

}  // namespace mishap::server
