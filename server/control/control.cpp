#include "server/control/control.h"

#include <fmt/format.h>

#include "server/control/api.h"
#include "server/control/http_server.h"

namespace mishap::server::control {
namespace {

Doors doors_of(const ControlSettings& settings) {
  Doors doors;
  doors.loopback = is_loopback(settings.address);
  doors.token = settings.token;
  doors.hosts.push_back(settings.address);
  if (!settings.advertise.empty()) doors.hosts.push_back(settings.advertise);
  return doors;
}

std::string url_of(const ControlSettings& settings, Port port) {
  auto host = settings.advertise.empty() ? settings.address : settings.advertise;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  const bool is_six = host.find(':') != std::string::npos && !host.starts_with('[');
  return is_six ? fmt::format("http://[{}]:{}", host, port)
                : fmt::format("http://{}:{}", host, port);
}

class LiveControl final : public Control {
 public:
  LiveControl(const ControlSettings& settings, Socket listener, RunMaker& maker, const Clock& clock,
              std::function<void()> end_all)
      : url_(url_of(settings, port_of(listener))),
        book_(maker, clock, settings.limits),
        api_(book_, doors_of(settings), settings.version, std::move(end_all)),
        server_(
            std::move(listener), clock, ServerLimits{},
            [this](const Call& call) { return api_.answer(call); }, [this] { book_.expire(); }) {}

  const std::string& url() const override { return url_; }

 private:
  const std::string url_;
  RunBook book_;
  Api api_;
  HttpServer server_;  // last: its threads use the others
};

}  // namespace

tl::expected<std::unique_ptr<Control>, Error> start_control(const ControlSettings& settings,
                                                            RunMaker& maker, const Clock& clock,
                                                            std::function<void()> end_all) {
  if (settings.token.empty() && !is_loopback(settings.address)) {
    return tl::unexpected(Error{ErrorCode::BadInput,
                                "the control API wants a token where others can reach it",
                                {},
                                "give --token, or listen on 127.0.0.1"});
  }
  auto listener = listen_on(settings.address, settings.port);
  if (!listener) return tl::unexpected(listener.error());
  return std::make_unique<LiveControl>(settings, std::move(*listener), maker, clock,
                                       std::move(end_all));
}

}  // namespace mishap::server::control
