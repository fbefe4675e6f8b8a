#include "mishap/server.h"

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/engine/engine.h"
#include "server/outbound/outbound.h"
#include "server/wire/io_thread.h"
#include "server/wire/live_run.h"
#include "server/wire/loopback.h"
#include "server/wire/proxy_table.h"
#include "server/wire/tls_setup.h"

namespace mishap::server {

namespace {

class WireServer final : public Server {
 public:
  explicit WireServer(const Clock& clock) : clock_(clock), io_(std::make_shared<IoThread>()) {}

  tl::expected<std::unique_ptr<Run>, Error> begin(const scenarios::Scenario& scenario,
                                                  const RunOptions& options) override;
  const Clock& clock() const override { return clock_; }

 private:
  const Clock& clock_;
  std::shared_ptr<IoThread> io_;
  TlsSetup tls_;
  std::atomic<unsigned> ports_given_ = 0;
};

std::vector<LanePlan> plan_lanes(const scenarios::Scenario& scenario, int lanes) {
  std::vector<LanePlan> plans;
  for (int lane = 0; lane < lanes; ++lane) {
    for (const scenarios::Api& api : scenario.apis) plans.push_back({lane, api.name, api.limits});
  }
  return plans;
}

// Where somebody may be turned away and nobody has said which address it must be. Gives them.
std::vector<std::string> give_own_addresses(Engine& engine, const RunOptions& options, Duration now,
                                            std::vector<LanePlan>& plans) {
  const RunOptions usual;
  if (!options.own_addresses || options.address != usual.address || options.port != 0 ||
      !options.advertise.empty())
    return {};
  std::vector<std::string> given;
  for (LanePlan& plan : plans) {
    if (!engine.door(plan.lane, plan.api, now).may_change) continue;
    plan.address = given.emplace_back(next_own_loopback());
  }
  return given;
}

void speak_tls(const scenarios::Scenario& scenario, const TlsServers& tls,
               std::vector<LanePlan>& plans) {
  for (const scenarios::Api& api : scenario.apis) {
    if (!api.tls) continue;
    for (LanePlan& plan : plans) {
      if (plan.api == api.name) plan.tls = tls.at(api.name);
    }
  }
}

Proxies plan_proxies(const scenarios::Scenario& scenario, int lanes, const TlsServers& tls) {
  std::vector<ProxyRoute> routes;
  for (const scenarios::Api& api : scenario.apis) {
    if (api.intercept.empty()) continue;
    routes.push_back({api.name, api.limits, tls.at(api.name), api.intercept});
  }
  Proxies proxies;
  for (int lane = 0; lane < lanes && !routes.empty(); ++lane) {
    proxies.push_back(std::make_shared<const ProxyTable>(lane, routes));
  }
  return proxies;
}

// A request that came round to us again would never be answered.
std::optional<Error> calls_itself(const scenarios::Scenario& scenario, const Run& run) {
  for (const scenarios::Api& api : scenario.apis) {
    if (!api.upstream || !api.upstream->is_this_machine()) continue;
    for (const LaneAddress& address : run.addresses()) {
      if (address.port != api.upstream->port) continue;
      return Error{ErrorCode::BadInput,
                   "the upstream " + api.upstream->url() + " is this mock itself",
                   api.upstream->span, "choose another --port, or name the real API"};
    }
  }
  return std::nullopt;
}

tl::expected<std::unique_ptr<Run>, Error> WireServer::begin(const scenarios::Scenario& scenario,
                                                            const RunOptions& options) {
  const RunClock clock(clock_, clock_.now());
  std::shared_ptr<Engine> engine =
      make_engine(scenario, options, [clock](Duration run_time) { return clock.wall(run_time); });
  auto upstreams = make_upstreams(scenario.apis, *io_, clock);
  if (!upstreams) return tl::unexpected(upstreams.error());
  auto plans = plan_lanes(scenario, options.lanes);
  const auto own_addresses = give_own_addresses(*engine, options, clock.now(), plans);
  auto tls = tls_.for_run(scenario, options, own_addresses, clock.wall(Duration{}));
  if (!tls) return tl::unexpected(tls.error());
  speak_tls(scenario, *tls, plans);
  auto proxies = plan_proxies(scenario, options.lanes, *tls);
  const auto ports = static_cast<unsigned>(plans.size() + proxies.size());
  const auto turn = ports_given_.fetch_add(ports);
  std::vector<std::shared_ptr<IoThread>> more_io;
  for (int i = 1; i < options.threads; ++i) more_io.push_back(std::make_shared<IoThread>());
  auto run = begin_live_run({.io = io_,
                             .more_io = std::move(more_io),
                             .engine = std::move(engine),
                             .clock = clock,
                             .plans = std::move(plans),
                             .proxies = std::move(proxies),
                             .ca = tls->empty() ? std::string() : tls->begin()->second->ca(),
                             .address = options.address,
                             .port = options.port,
                             .advertise = options.advertise,
                             .ports = options.ports,
                             .turn = turn,
                             .upstreams = std::move(*upstreams)});
  if (run) {
    if (auto circle = calls_itself(scenario, **run)) return tl::unexpected(std::move(*circle));
  }
  return run;
}

}  // namespace

tl::expected<std::unique_ptr<Server>, Error> start_server(const Clock& clock) {
  try {
    return std::make_unique<WireServer>(clock);
  } catch (const std::exception& error) {
    return tl::unexpected(Error{ErrorCode::Environment,
                                std::string("cannot start the server: ") + error.what(),
                                {},
                                "check the limit of open files (ulimit -n)"});
  }
}

}  // namespace mishap::server
