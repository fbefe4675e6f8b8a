#include "client-tests/clients/booking_client/chance.h"

#include <cstdint>
#include <cstdio>
#include <random>

namespace booking {

std::string new_uuid() {
  std::random_device entropy;
  const auto word = [&] { return static_cast<std::uint32_t>(entropy()); };
  const std::uint32_t a = word(), b = word(), c = word(), d = word();
  char text[37];
  std::snprintf(text, sizeof(text), "%08x-%04x-4%03x-%04x-%04x%08x", a, b >> 16U, b & 0xfffU,
                0x8000U | ((c >> 16U) & 0x3fffU), c & 0xffffU, d);
  return text;
}

milliseconds random_between(milliseconds least, milliseconds most) {
  std::random_device entropy;
  std::uniform_int_distribution<milliseconds::rep> draw(least.count(), most.count());
  return milliseconds(draw(entropy));
}

}  // namespace booking
