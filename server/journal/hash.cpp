#include "server/journal/hash.h"

#include <openssl/evp.h>

namespace mishap::server {
namespace {

// Fetched once: to ask OpenSSL for it by name takes longer than to hash a request.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched != nullptr ? fetched : EVP_sha256();
}

std::string hex_of(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 0x0f];
  }
  return hex;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm(), nullptr);
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  return hex_of(sha256(bytes));
}

std::string joined_for_hash(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    joined += std::to_string(part.size());
    joined += ':';
    joined += part;
  }
  return joined;
}

}  // namespace mishap::server
