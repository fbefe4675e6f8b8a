#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/scenario.h"

// Bytes over a connected, non-blocking socket, in the clear or under TLS. Nothing here waits: what
// cannot be done now is tried again when the socket is ready.
namespace mishap::server {

enum class Moved { Some, NotNow, End, Failed };
struct Move {
  Moved what = Moved::Failed;
  std::size_t bytes = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual Move handshake() = 0;  // Some: done
  virtual Move read(std::span<char> into) = 0;
  virtual Move write(std::string_view bytes) = 0;
  virtual std::string why() const = 0;  // of Failed: a few words
};

// Makes the channels of one upstream. The socket is borrowed.
class ChannelMaker {
 public:
  virtual ~ChannelMaker() = default;
  virtual std::unique_ptr<Channel> over(int socket) const = 0;
};

// Certificates are verified, always: against the upstream's name and the system's authorities, or
// those of its own file. An error: that file cannot be used.
tl::expected<std::unique_ptr<ChannelMaker>, Error> make_channels(
    const scenarios::Upstream& upstream);

}  // namespace mishap::server
