#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "cli/commands.h"
#include "mishap/run.h"

// The built-in client of the calibration run: it asks, and after each answer waits equally long.
// How far apart its copies come back is the noise of this machine, since nothing else differs.
namespace mishap::cli {
namespace {

class Connection {
 public:
  explicit Connection(Port port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                                           sizeof address) == 0;
  }
  ~Connection() {
    if (socket_ >= 0) ::close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Until the other side has said all. The answer itself does not matter.
  bool exchange(std::string_view request) const {
    if (!connected_ || ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
                           static_cast<ssize_t>(request.size())) {
      return false;
    }
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    do {
      got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    } while (got > 0);
    return got == 0;
  }

 private:
  int socket_;
  bool connected_ = false;
};

// Of "http://127.0.0.1:8080".
Port port_of(std::string_view url) {
  const auto colon = url.rfind(':');
  Port port = 0;
  if (colon == std::string_view::npos) return port;
  std::from_chars(url.data() + colon + 1, url.data() + url.size(), port);
  return port;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

std::vector<std::string> calibrator() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  return {self.string(), kCalibrate};
}

int run_calibrate() {
  const Port port = port_of(variable("MISHAP_URL"));
  const std::string body = fmt::format("{{\"reference\":\"copy-{}\"}}", variable("MISHAP_COPY"));
  const std::string request = fmt::format(
      "POST /calibration HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      port, body.size(), body);
  for (int wait = 0;; ++wait) {
    if (port == 0 || !Connection(port).exchange(request)) return kExitInternal;
    if (wait == static_cast<int>(client_tests::kCalibrationWaits)) return kExitPass;
    std::this_thread::sleep_for(client_tests::kCalibrationWait);
  }
}

}  // namespace mishap::cli
