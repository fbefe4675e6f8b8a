#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client-tests/launch/probe_linux.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

// What one client's process tree did with TCP sockets, from repeated looks at its open ones.
class SocketBook {
 public:
  explicit SocketBook(std::vector<Port> server_ports) : server_ports_(std::move(server_ports)) {}

  // `began` and `ended` enclose the look: what was in it lived between the two. Gives how many of
  // them lead to the run's server.
  std::size_t note(const std::vector<TcpSocket>& sockets, Duration began, Duration ended);

  // Sockets to the run's server, by first sight.
  std::vector<SocketSeen> to_server() const;

  // Peers that are not the run's server: non-loopback ones, and loopback ones that do not belong to
  // the tree itself. Distinct, capped at 16.
  std::vector<std::string> foreign_addresses() const;

  // Ports that the tree listened on, ever; at most 16.
  std::vector<Port> listening() const;

  bool overflowed() const { return overflowed_; }

 private:
  struct Peer {
    Endpoint endpoint;
    Port local_port = 0;
  };
  bool is_server(const Endpoint& remote) const;
  void note_peer(const TcpSocket& socket);
  void note_ours(const TcpSocket& socket, Duration began, Duration ended);

  std::vector<Port> server_ports_;
  std::map<std::pair<std::uint64_t, Port>, SocketSeen> seen_;  // by inode and local port
  std::vector<Peer> peers_;                                    // in order of appearance
  std::set<std::pair<std::string, Port>> known_peers_;         // text of the peer, local port
  std::set<Port> listening_;                                   // of the tree, ever
  bool overflowed_ = false;
};

}  // namespace mishap::client_tests
