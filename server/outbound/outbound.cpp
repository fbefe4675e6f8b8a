#include "server/outbound/outbound.h"

#include <map>
#include <string>
#include <utility>

#include "server/outbound/upstream_call.h"

namespace mishap::server {
namespace {

class Origins final : public Upstreams {
 public:
  Origins(IoThread& io, RunClock clock) : io_(io), clock_(clock) {}

  void add(const std::string& api, Origin origin) { origins_.emplace(api, std::move(origin)); }
  bool empty() const { return origins_.empty(); }

  std::unique_ptr<OutboundCall> call(UpstreamRequest request) override {
    const Origin& origin = origins_.at(request.api);
    return std::make_unique<UpstreamExchange>(io_, clock_, origin, std::move(request));
  }

 private:
  IoThread& io_;
  RunClock clock_;
  std::map<std::string, Origin> origins_;  // by api
};

}  // namespace

tl::expected<std::shared_ptr<Upstreams>, Error> make_upstreams(
    const std::vector<scenarios::Api>& apis, IoThread& io, RunClock clock) {
  auto made = std::make_shared<Origins>(io, clock);
  for (const scenarios::Api& api : apis) {
    if (!api.upstream) continue;
    auto channels = make_channels(*api.upstream);
    if (!channels) return tl::unexpected(channels.error());
    made->add(api.name, {*api.upstream, api.limits, std::move(*channels)});
  }
  return made->empty() ? nullptr : std::move(made);
}

}  // namespace mishap::server
