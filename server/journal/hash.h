#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace mishap::server {

using Digest = std::array<std::uint8_t, 32>;

// SHA-256 of the bytes; as lower-case hex where it is kept.
Digest sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

// The same of bytes that come in pieces. Where OpenSSL fails (out of memory) the hash stays empty.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  void add(std::string_view bytes);
  std::string hex() const;  // of all so far

 private:
  evp_md_ctx_st* context_;
};

// Joins parts so that no two lists of parts give the same text: each is preceded by its length.
std::string joined_for_hash(std::initializer_list<std::string_view> parts);

}  // namespace mishap::server
