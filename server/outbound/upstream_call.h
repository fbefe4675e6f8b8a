#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mishap/scenario.h"
#include "server/outbound/answer_reader.h"
#include "server/outbound/channel.h"
#include "server/outbound/upstream_socket.h"
#include "server/wire/upstreams.h"

namespace mishap::server {

// Where the requests of one api go: there and nowhere else.
struct Origin {
  scenarios::Upstream upstream;
  scenarios::Limits limits;
  std::unique_ptr<ChannelMaker> channels;
};

// One request and its answer over a connection of its own. The origin is borrowed.
class UpstreamExchange final : public OutboundCall {
 public:
  UpstreamExchange(IoThread& io, RunClock clock, const Origin& origin, UpstreamRequest request);

  Task<UpstreamResult> perform() override;
  void cancel() override { socket_.cancel(); }

 private:
  using Why = std::optional<std::string>;

  Task<Why> open(Duration deadline);
  Task<Why> exchange(Duration deadline);
  bool send_more();
  bool read_more();
  void take(const Move& got, std::string_view bytes);
  std::string late() const;

  const Origin& origin_;
  RunClock clock_;
  UpstreamSocket socket_;
  std::unique_ptr<Channel> channel_;
  AnswerReader reader_;
  std::string request_;      // as it goes over the wire
  std::string_view unsent_;  // its rest
  std::optional<Duration> sent_;
  AnswerReader::State state_ = AnswerReader::State::More;
  Why broken_;
};

}  // namespace mishap::server
