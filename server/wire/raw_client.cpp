#include "server/wire/raw_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <gtest/gtest.h>

namespace mishap::server {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(10);

bool await(int socket, short events, SteadyClock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
  pollfd wanted{socket, events, 0};
  return ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) > 0;
}

sockaddr_in address_of(const Place& place) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(place.port);
  EXPECT_EQ(::inet_pton(AF_INET, place.host.c_str(), &address.sin_addr), 1) << place.host;
  return address;
}

}  // namespace

RawClient::RawClient() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

RawClient::RawClient(const Place& place, int receive_buffer) : RawClient() {
  if (receive_buffer > 0) {
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  connect(place);
}

int RawClient::connect_blocking(const Place& place) {
  const sockaddr_in address = address_of(place);
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(socket_.get(), at, sizeof address) == 0 ? 0 : errno;
}

void RawClient::connect(const Place& place) {
  const int error = connect_blocking(place);
  EXPECT_EQ(error, 0) << "connect";
  ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

int RawClient::try_connect(const Place& place, Duration patience) {
  const sockaddr_in address = address_of(place);
  ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket_.get(), at, sizeof address) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!await(socket_.get(), POLLOUT, SteadyClock::now() + patience)) return EINPROGRESS;
  return connect_error(socket_.get());
}

void RawClient::meet(int error) {
  if (error == ECONNRESET) end_ = End::Reset;
  if (error == EPIPE && end_ == End::Open) end_ = End::Reset;
}

std::size_t RawClient::send(std::string_view bytes) {
  return send_until(bytes, SteadyClock::now() + kPatience);
}

std::size_t RawClient::send_for(std::string_view bytes, Duration length) {
  return send_until(bytes, SteadyClock::now() + length);
}

std::size_t RawClient::send_until(std::string_view bytes, SteadyClock::time_point deadline) {
  std::size_t sent = 0;
  while (sent < bytes.size() && await(socket_.get(), POLLOUT, deadline)) {
    const IoResult result = send_some(socket_.get(), bytes.substr(sent));
    if (result.status == IoStatus::WouldBlock) continue;
    if (result.status != IoStatus::Done) {
      meet(errno);
      break;
    }
    sent += result.bytes;
  }
  return sent;
}

void RawClient::send_fin() {
  server::send_fin(socket_.get());
}

void RawClient::reset() {
  send_reset(std::move(socket_));
}

void RawClient::close() {
  socket_.close();
}

bool RawClient::receive_some(SteadyClock::time_point deadline) {
  if (end_ != End::Open || SteadyClock::now() >= deadline) return false;
  if (!await(socket_.get(), POLLIN, deadline)) return false;
  std::array<char, 64 * 1024> chunk;
  const IoResult result = receive(socket_.get(), chunk);
  if (result.status == IoStatus::Done) received_.append(chunk.data(), result.bytes);
  if (result.status == IoStatus::End) end_ = End::Fin;
  if (result.status == IoStatus::Reset) meet(errno);
  return result.status == IoStatus::Done || result.status == IoStatus::WouldBlock;
}

const std::string& RawClient::receive_until(std::string_view text) {
  const auto deadline = SteadyClock::now() + kPatience;
  while (received_.find(text) == std::string::npos && receive_some(deadline)) {
  }
  return received_;
}

const std::string& RawClient::receive_bytes(std::size_t count) {
  const auto deadline = SteadyClock::now() + kPatience;
  while (received_.size() < count && receive_some(deadline)) {
  }
  return received_;
}

const std::string& RawClient::receive_to_end() {
  const auto deadline = SteadyClock::now() + kPatience;
  while (receive_some(deadline)) {
  }
  return received_;
}

const std::string& RawClient::receive_for(Duration length) {
  const auto deadline = SteadyClock::now() + length;
  while (receive_some(deadline)) {
  }
  return received_;
}

std::string RawClient::take() {
  return std::exchange(received_, {});
}

}  // namespace mishap::server
