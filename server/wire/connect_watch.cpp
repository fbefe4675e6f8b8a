#include "server/wire/connect_watch.h"

#include <utility>

namespace mishap::server {

ConnectWatch::ConnectWatch(IoThread& io, Calls calls)
    : io_(io),
      calls_(std::move(calls)),
      heard_(hear_of_ended_sockets()),
      nobody_(bind_without_listening()),
      hears_(heard_ && nobody_) {}

void ConnectWatch::start() {
  if (!hears_) return;
  watch_ = io_.watch(heard_.get(), *this);
  is_watched_ = true;
}

void ConnectWatch::stop() {
  if (std::exchange(is_watched_, false)) io_.unwatch(heard_.get(), watch_);
  heard_.close();
  nobody_.close();
  for (auto& [port, marker] : markers_) marker.set_value();
  markers_.clear();
}

// The kernel tells of sockets some time after they were closed, and by and large in that order: a
// connect of our own that is closed now comes after them.
std::future<void> ConnectWatch::catch_up() {
  std::promise<void> marker;
  std::future<void> told = marker.get_future();
  const Dialled dialled = is_watched_ ? dial(socket_address(nobody_.get())) : Dialled{};
  const Port from = dialled.socket ? local_port(dialled.socket.get()) : Port{0};
  if (from == 0) {
    marker.set_value();
  } else {
    markers_.insert_or_assign(from, std::move(marker));
  }
  return told;
}

void ConnectWatch::on_ready(const Readiness&) {
  const EndedSockets ended = take_ended_sockets(heard_.get());
  for (const EndedSocket& socket : ended.sockets) take(socket);
  if (ended.lost_some) calls_.lost_some();
}

void ConnectWatch::take(const EndedSocket& socket) {
  const auto marker = socket.was_connected ? markers_.end() : markers_.find(socket.from);
  if (marker == markers_.end() || socket.to_port != local_port(nobody_.get())) {
    return calls_.ended(socket);
  }
  marker->second.set_value();
  markers_.erase(marker);
}

}  // namespace mishap::server
