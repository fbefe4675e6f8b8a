#include "client-tests/launch/probe_linux.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "client-tests/launch/tcp_dump.h"

namespace mishap::client_tests {
namespace {

constexpr std::size_t kEnvironmentLimit = 256 * 1024;
constexpr std::size_t kTableLimit = 64 * 1024 * 1024;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

std::optional<std::string> read_text(const std::string& path, std::size_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 16 * 1024> chunk;
  while (text.size() < limit) {
    const ssize_t got = ::read(file, chunk.data(), std::min(chunk.size(), limit - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      ::close(file);
      return std::nullopt;
    }
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(file);
  return text;
}

template <typename Number>
bool read_number(std::string_view text, Number& value, int base = 10) {
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, base);
  return result.ec == std::errc{} && result.ptr == end;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \n", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \n", begin), text.size());
    words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

// The kernel prints an address as hexadecimal words of 32 bits, each in the machine's byte order.
bool read_address(std::string_view hex, std::string& address) {
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = hex.size() / 8;
  if (hex.size() % 8 != 0 || (count != 1 && count != 4)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!read_number(hex.substr(i * 8, 8), words[i], 16)) return false;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool mapped =
      count == 4 && words[0] == 0 && words[1] == 0 && words[2] == htonl(0x0000FFFFU);
  const bool v4 = count == 1 || mapped;
  const void* bytes = v4 ? static_cast<const void*>(&words[count - 1]) : words.data();
  if (!::inet_ntop(v4 ? AF_INET : AF_INET6, bytes, text.data(), text.size())) return false;
  address = text.data();
  return true;
}

bool read_endpoint(std::string_view text, Endpoint& endpoint) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  return read_address(text.substr(0, colon), endpoint.address) &&
         read_number(text.substr(colon + 1), endpoint.port, 16);
}

void add_sockets(const std::string& path, const std::vector<std::uint64_t>& wanted,
                 std::vector<TcpSocket>& sockets) {
  const auto text = read_text(path, kTableLimit);
  if (!text) return;
  std::size_t at = 0;
  while (at < text->size()) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const auto socket = parse_tcp_line(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!socket || socket->inode == 0) continue;
    if (std::binary_search(wanted.begin(), wanted.end(), socket->inode)) {
      sockets.push_back(*socket);
    }
  }
}

Duration duration_of(std::uint64_t ticks) {
  static const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  // The kernel counts in an hour what is far from overflowing here; a text may say anything.
  return std::chrono::milliseconds(std::min(ticks, std::uint64_t{1} << 40) * 1000 / per_second);
}

}  // namespace

std::vector<pid_t> list_processes() {
  std::vector<pid_t> pids;
  const Folder folder(::opendir("/proc"));
  if (!folder) return pids;
  while (const dirent* entry = ::readdir(folder.get())) {
    pid_t pid = 0;
    if (read_number(std::string_view(entry->d_name), pid)) pids.push_back(pid);
  }
  return pids;
}

std::optional<ProcessStat> parse_stat(std::string_view text) {
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  // Fields are numbered as in proc(5), where the state is field 3.
  const auto words = words_of(text.substr(close + 1));
  const auto field = [&](std::size_t number) { return words[number - 3]; };
  if (words.size() < 22) return std::nullopt;
  ProcessStat stat;
  std::int64_t pages = 0;
  const bool read = read_number(text.substr(0, open), stat.id.pid) &&
                    read_number(field(4), stat.parent) && read_number(field(6), stat.session) &&
                    read_number(field(20), stat.threads) &&
                    read_number(field(22), stat.id.start_ticks) && read_number(field(24), pages);
  if (!read) return std::nullopt;
  for (const std::size_t spent : {14U, 15U, 16U, 17U}) {  // utime, stime, cutime, cstime
    std::uint64_t ticks = 0;
    if (!read_number(field(spent), ticks)) return std::nullopt;
    stat.cpu += duration_of(ticks);
  }
  // A first thread that ended before the others shows as Z while the process goes on.
  const char state = field(3).front();
  stat.zombie = (state == 'Z' || state == 'X') && stat.threads <= 1;
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  stat.rss = static_cast<std::uint64_t>(std::max<std::int64_t>(pages, 0)) * page;
  return stat;
}

std::optional<ProcessStat> read_stat(pid_t pid) {
  const auto text = read_text(fmt::format("/proc/{}/stat", pid), 4096);
  return text ? parse_stat(*text) : std::nullopt;
}

std::optional<std::string> read_environment(pid_t pid) {
  return read_text(fmt::format("/proc/{}/environ", pid), kEnvironmentLimit);
}

std::optional<Descriptors> read_descriptors(pid_t pid) {
  const Folder folder(::opendir(fmt::format("/proc/{}/fd", pid).c_str()));
  if (!folder) return std::nullopt;
  Descriptors descriptors;
  constexpr std::string_view kSocket = "socket:[";
  std::array<char, 64> target;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) continue;
    ++descriptors.count;
    const ssize_t size =
        ::readlinkat(::dirfd(folder.get()), entry->d_name, target.data(), target.size());
    if (size <= 0) continue;
    std::string_view link(target.data(), static_cast<std::size_t>(size));
    if (!link.starts_with(kSocket) || !link.ends_with(']')) continue;
    link = link.substr(kSocket.size(), link.size() - kSocket.size() - 1);
    std::uint64_t inode = 0;
    if (read_number(link, inode)) descriptors.socket_inodes.push_back(inode);
  }
  return descriptors;
}

std::optional<TcpSocket> parse_tcp_line(std::string_view line) {
  // "sl: local remote state queues timer retransmits uid timeout inode ..."
  const auto words = words_of(line);
  if (words.size() < 10) return std::nullopt;
  TcpSocket socket;
  unsigned state = 0;
  if (!read_endpoint(words[1], socket.local) || !read_endpoint(words[2], socket.remote) ||
      !read_number(words[3], state, 16) || !read_number(words[9], socket.inode)) {
    return std::nullopt;
  }
  // include/net/tcp_states.h
  constexpr unsigned kSynSent = 0x02;
  constexpr unsigned kCloseWait = 0x08;
  constexpr unsigned kListen = 0x0A;
  socket.listening = state == kListen;
  socket.connecting = state == kSynSent;
  socket.half_closed = state == kCloseWait;
  return socket;
}

std::vector<TcpSocket> read_tcp_sockets(const std::vector<std::uint64_t>& wanted) {
  if (wanted.empty()) return {};
  auto dumped = dump_tcp_sockets(wanted);
  return dumped ? std::move(*dumped) : read_tcp_table(wanted);
}

std::vector<TcpSocket> read_tcp_table(const std::vector<std::uint64_t>& wanted) {
  std::vector<TcpSocket> sockets;
  add_sockets("/proc/net/tcp", wanted, sockets);
  add_sockets("/proc/net/tcp6", wanted, sockets);
  return sockets;
}

std::uint64_t ticks_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.tv_sec) * per_second +
         static_cast<std::uint64_t>(now.tv_nsec) * per_second / 1'000'000'000U;
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace mishap::client_tests
