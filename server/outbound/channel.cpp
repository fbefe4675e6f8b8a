#include "server/outbound/channel.h"

#include "server/outbound/tls_channel.h"
#include "server/wire/os_linux.h"

namespace mishap::server {
namespace {

Move move_of(const IoResult& result) {
  switch (result.status) {
    case IoStatus::Done:
      return {Moved::Some, result.bytes};
    case IoStatus::WouldBlock:
      return {Moved::NotNow, 0};
    case IoStatus::End:
      return {Moved::End, 0};
    case IoStatus::Reset:
    case IoStatus::Failed:
      break;
  }
  return {Moved::Failed, 0};
}

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(int socket) : socket_(socket) {}
  Move handshake() override { return {Moved::Some, 0}; }
  Move read(std::span<char> into) override { return move_of(receive(socket_, into)); }
  Move write(std::string_view bytes) override { return move_of(send_some(socket_, bytes)); }
  std::string why() const override { return "the connection was reset"; }

 private:
  int socket_;
};

class PlainChannels final : public ChannelMaker {
 public:
  std::unique_ptr<Channel> over(int socket) const override {
    return std::make_unique<PlainChannel>(socket);
  }
};

}  // namespace

tl::expected<std::unique_ptr<ChannelMaker>, Error> make_channels(
    const scenarios::Upstream& upstream) {
  if (upstream.tls) return make_tls_channels(upstream);
  return std::make_unique<PlainChannels>();
}

}  // namespace mishap::server
