#include "client-tests/launch/socket_book.h"

#include <fmt/format.h>

#include <algorithm>

namespace mishap::client_tests {
namespace {

constexpr std::size_t kMaxSockets = 100'000;
constexpr std::size_t kMaxPeers = 10'000;
constexpr std::size_t kMaxForeign = 16;

std::string text_of(const Endpoint& endpoint) {
  const bool v6 = endpoint.address.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", endpoint.address, endpoint.port)
            : fmt::format("{}:{}", endpoint.address, endpoint.port);
}

// Both ends are in the tree: a pair that it made for itself.
bool has_other_end(const std::vector<TcpSocket>& sockets, const TcpSocket& socket) {
  return std::any_of(sockets.begin(), sockets.end(), [&](const TcpSocket& other) {
    return other.local == socket.remote && other.remote == socket.local;
  });
}

}  // namespace

std::size_t SocketBook::note(const std::vector<TcpSocket>& sockets, Duration began,
                             Duration ended) {
  std::size_t to_server = 0;
  for (const auto& socket : sockets) {
    if (socket.listening) listening_.insert(socket.local.port);
  }
  for (const auto& socket : sockets) {
    if (socket.listening || socket.remote.port == 0) continue;
    if (!is_server(socket.remote)) {
      if (!is_loopback(socket.remote.address) || !has_other_end(sockets, socket)) {
        note_peer(socket);
      }
      continue;
    }
    ++to_server;
    note_ours(socket, began, ended);
  }
  return to_server;
}

void SocketBook::note_ours(const TcpSocket& socket, Duration began, Duration ended) {
  const auto key = std::pair(socket.inode, socket.local.port);
  if (seen_.size() >= kMaxSockets && !seen_.contains(key)) {
    overflowed_ = true;
    return;
  }
  // It surely existed at the end of the first look and at the beginning of the last.
  const auto [entry, fresh] = seen_.try_emplace(key, SocketSeen{socket.local.port, ended, ended});
  SocketSeen& seen = entry->second;
  if (!fresh) seen.last_seen = std::max(seen.last_seen, began);
  // A socket connects once: what was seen connected is never seen to connect again.
  if (socket.connecting) seen.connecting_until = seen.last_seen;
  if (!socket.half_closed) {
    seen.half_closed_since.reset();
  } else if (!seen.half_closed_since) {
    seen.half_closed_since = seen.last_seen;
  }
}

bool SocketBook::is_server(const Endpoint& remote) const {
  return is_loopback(remote.address) &&
         std::find(server_ports_.begin(), server_ports_.end(), remote.port) != server_ports_.end();
}

void SocketBook::note_peer(const TcpSocket& socket) {
  if (!known_peers_.emplace(text_of(socket.remote), socket.local.port).second) return;
  if (peers_.size() >= kMaxPeers) {
    overflowed_ = true;
    return;
  }
  peers_.push_back({socket.remote, socket.local.port});
}

std::vector<SocketSeen> SocketBook::to_server() const {
  std::vector<SocketSeen> sockets;
  for (const auto& [key, seen] : seen_) sockets.push_back(seen);
  std::stable_sort(sockets.begin(), sockets.end(), [](const SocketSeen& a, const SocketSeen& b) {
    return a.first_seen < b.first_seen;
  });
  return sockets;
}

std::vector<std::string> SocketBook::foreign_addresses() const {
  std::vector<std::string> addresses;
  for (const auto& peer : peers_) {
    // Accepted by the tree, whoever called.
    if (listening_.contains(peer.local_port)) continue;
    // One part of the tree talks to another.
    if (is_loopback(peer.endpoint.address) && listening_.contains(peer.endpoint.port)) continue;
    const std::string text = text_of(peer.endpoint);
    const bool known = std::find(addresses.begin(), addresses.end(), text) != addresses.end();
    if (known) continue;
    addresses.push_back(text);
    if (addresses.size() == kMaxForeign) break;
  }
  return addresses;
}

std::vector<Port> SocketBook::listening() const {
  std::vector<Port> ports(listening_.begin(), listening_.end());
  if (ports.size() > kMaxForeign) ports.resize(kMaxForeign);
  return ports;
}

}  // namespace mishap::client_tests
