#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/units.h"

// What is asked about processes and their sockets, from /proc as a rule. Each call reads once and
// keeps nothing; a process that is gone, or that we may not look at, is an absent value and never
// an error.
namespace mishap::client_tests {

// A process as the kernel numbers it; start_ticks tells two owners of one number apart.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot
  bool operator==(const ProcessId&) const = default;
};

struct ProcessStat {
  ProcessId id;
  pid_t parent = 0;
  pid_t session = 0;
  bool zombie = false;    // nothing of it runs any more, it only waits to be reaped
  std::uint64_t rss = 0;  // bytes
  std::uint64_t threads = 0;
  Duration cpu{};  // user and system, its own and that of the children it has waited for
};

struct Descriptors {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> socket_inodes;
};

struct Endpoint {
  std::string address;  // "127.0.0.1", "2001:db8::1"; a v4 address in v6 form is told as v4
  Port port = 0;
  bool operator==(const Endpoint&) const = default;
};

struct TcpSocket {
  std::uint64_t inode = 0;
  Endpoint local;
  Endpoint remote;
  bool listening = false;
  bool connecting = false;   // SYN_SENT
  bool half_closed = false;  // CLOSE_WAIT: the other side has ended
};

std::vector<pid_t> list_processes();
std::optional<ProcessStat> read_stat(pid_t pid);

// NAME=VALUE pairs separated by NUL bytes, the first 256 KiB. Empty for a zombie and in the instant
// in which a program is being replaced; absent where it may not be read.
std::optional<std::string> read_environment(pid_t pid);

std::optional<Descriptors> read_descriptors(pid_t pid);

// The sockets of both tables whose inode is among `wanted` (sorted). Sockets without an owner
// (TIME_WAIT) have no inode and are not in it.
std::vector<TcpSocket> read_tcp_sockets(const std::vector<std::uint64_t>& wanted);
// The same from the text of /proc/net, for where the kernel gives no dump (tcp_dump.h).
std::vector<TcpSocket> read_tcp_table(const std::vector<std::uint64_t>& wanted);

// Clock ticks since boot, the unit of ProcessId::start_ticks.
std::uint64_t ticks_since_boot();

bool is_loopback(std::string_view address);

// One line of /proc/net/tcp or tcp6; absent for the heading and for what is no such line.
std::optional<TcpSocket> parse_tcp_line(std::string_view line);

// The text of /proc/PID/stat; a command name may hold spaces and parentheses.
std::optional<ProcessStat> parse_stat(std::string_view text);

}  // namespace mishap::client_tests
