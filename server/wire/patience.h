#pragma once

#include <chrono>
#include <cstdint>

#include "mishap/units.h"

namespace mishap::server {

// The bound of every wait that no scenario asked for. A stall alone has none: it ends with the
// client or the run.
struct Patience {
  Duration mid_request = std::chrono::seconds(60);    // silence in the middle of a request: 408
  Duration blocked_write = std::chrono::seconds(60);  // a client that takes nothing at all: RST
  Duration acknowledge = std::chrono::seconds(5);     // until all that was sent has arrived
  Duration drain = std::chrono::seconds(5);           // reading what nobody wants
  std::uint64_t drain_bytes = 64ULL * 1024 * 1024;
  Duration linger = std::chrono::seconds(2);  // after our FIN, until the client's
  // Whether bytes written after the client's FIN met an open or a closed socket; must exceed the
  // 40 ms for which Linux may delay an acknowledgement.
  Duration half_closed = std::chrono::milliseconds(200);
  Duration signal = std::chrono::seconds(10);  // until a signal to the client was carried out
  Duration out_of_descriptors = std::chrono::milliseconds(50);  // before accept is tried again
  Duration end_of_run = std::chrono::seconds(5);                // for all sessions to end
};

}  // namespace mishap::server
