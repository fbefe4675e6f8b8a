#include "client-tests/launch/readiness.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "client-tests/launch/client_copy.h"
#include "client-tests/launch/file_descriptor.h"

namespace mishap::client_tests {
namespace {

using Kind = scenarios::Ready::Kind;

constexpr std::chrono::seconds kAnswerPatience{2};
constexpr int kConnectPatienceMs = 20;  // on loopback the kernel answers at once

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

Address address_of(const std::string& host, Port port) {
  Address address;
  if (host == "::1") {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    v6.sin6_port = htons(port);
    address.length = sizeof v6;
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
    v4.sin_family = AF_INET;
    ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr);
    v4.sin_port = htons(port);
    address.length = sizeof v4;
  }
  return address;
}

bool is_accepted(const std::string& host, Port port) {
  const Address address = address_of(host, port);
  const FileDescriptor socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return false;
  const auto* raw = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(socket.get(), raw, address.length) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd event{socket.get(), POLLOUT, 0};
  if (::poll(&event, 1, kConnectPatienceMs) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

scenarios::LocalUrl place_of(const scenarios::Ready& ready) {
  if (ready.kind == Kind::Url)
    return scenarios::read_local_url(ready.text).value_or(scenarios::LocalUrl{});
  scenarios::LocalUrl place{"localhost", 0, "/"};
  place.port = static_cast<Port>(parse_integer(ready.text).value_or(0));
  return place;
}

}  // namespace

Readiness::Readiness(std::optional<scenarios::Ready> ready) : ready_(std::move(ready)) {
  if (ready_ && ready_->kind != Kind::Log) place_ = place_of(*ready_);
}

bool Readiness::accepts() const {
  if (place_.host != "localhost") return is_accepted(place_.host, place_.port);
  return is_accepted("127.0.0.1", place_.port) || is_accepted("::1", place_.port);
}

std::string Readiness::who_is_there() const {
  if (!ready_ || ready_->kind == Kind::Log || !accepts()) return {};
  return fmt::format(
      "something else takes connections on port {} before the service was started, so its answers "
      "would be mistaken for the service's: end it, or let the service listen on {{free_port}}",
      place_.port);
}

bool Readiness::look(const ClientCopy& service) {
  if (!ready_) return true;
  switch (ready_->kind) {
    case Kind::Log:
      return service.saw_ready_line();
    case Kind::Port:
      return accepts();
    case Kind::Url:
      return answers();
  }
  return true;
}

bool Readiness::answers() {
  if (!call_) {
    HttpRequest request;
    request.url = place_;
    if (accepts()) call_ = std::make_unique<HttpCall>(std::move(request), kAnswerPatience);
    return false;
  }
  if (!call_->done()) return false;
  last_status_ = call_->answer().status;
  call_.reset();
  return last_status_ != 0 && last_status_ < 500;
}

std::string Readiness::what_is_missing() const {
  switch (ready_ ? ready_->kind : Kind::Url) {
    case Kind::Log:
      return fmt::format("no line of its output matched \"{}\"", ready_->text);
    case Kind::Port:
      return fmt::format("nothing accepted connections on port {}", ready_->text);
    case Kind::Url:
      break;
  }
  const std::string url = ready_ ? ready_->text : std::string();
  if (last_status_ == 0) return fmt::format("nothing answered at {}", url);
  return fmt::format("{} was answered {}", url, last_status_);
}

}  // namespace mishap::client_tests
