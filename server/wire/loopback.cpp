#include "server/wire/loopback.h"

#include <atomic>
#include <cstdint>
#include <random>

#include <fmt/format.h>

namespace mishap::server {

std::string next_own_loopback() {
  static std::atomic<std::uint32_t> next{std::random_device{}()};
  const std::uint32_t number = next.fetch_add(1);
  // 127.64.0.0 and up; the last byte is neither a network nor a broadcast address.
  return fmt::format("127.{}.{}.{}", 64 + (number / 64'000) % 128, (number / 250) % 256,
                     1 + number % 250);
}

}  // namespace mishap::server
