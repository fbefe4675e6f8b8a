#include "server/outbound/raw_upstream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace mishap::server {

namespace {

using std::chrono::seconds;

constexpr seconds kDeadline{10};

}  // namespace

std::optional<std::size_t> length_in(const std::string& head) {
  static constexpr std::string_view kName = "\r\ncontent-length: ";
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  const auto at = std::search(head.begin(), head.end(), kName.begin(), kName.end(), same);
  if (at == head.end()) return std::nullopt;
  return std::stoul(std::string(at + kName.size(), head.end()));
}

struct UpstreamPeer::Tls {
  SSL* session = nullptr;
  bool is_up = false;
  ~Tls() { SSL_free(session); }
};

UpstreamPeer::UpstreamPeer(int socket, const TlsIdentity* identity) : socket_(socket) {
  // Blocking, with a bound: a test that waits for ever tells nothing.
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) & ~O_NONBLOCK);
  const timeval bound{kDeadline.count(), 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
  if (identity == nullptr) return;
  tls_ = std::make_unique<Tls>();
  tls_->session = SSL_new(identity->server_context());
  SSL_set_fd(tls_->session, socket_);
  tls_->is_up = SSL_accept(tls_->session) == 1;
}

UpstreamPeer::~UpstreamPeer() {
  if (tls_ && tls_->is_up) SSL_shutdown(tls_->session);
}

bool UpstreamPeer::is_open() const {
  return !tls_ || tls_->is_up;
}

bool UpstreamPeer::read_some(std::string& into) {
  std::array<char, 64 * 1024> buffer;
  const auto got = tls_
                       ? static_cast<ssize_t>(SSL_read(tls_->session, buffer.data(), buffer.size()))
                       : ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

std::string UpstreamPeer::read_request() {
  std::string request;
  std::optional<std::size_t> whole;  // once the head is there
  for (;;) {
    const std::size_t blank = whole ? 0 : request.find("\r\n\r\n");
    if (!whole && blank != request.npos) {
      whole = blank + 4 + length_in(request.substr(0, blank)).value_or(0);
    }
    if (whole && request.size() >= *whole) return request;
    if (!read_some(request)) return request;
  }
}

void UpstreamPeer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = tls_ ? static_cast<ssize_t>(SSL_write(tls_->session, bytes.data(),
                                                           static_cast<int>(bytes.size())))
                          : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void UpstreamPeer::wait_for_end() {
  std::string scrap;
  while (read_some(scrap)) {
  }
}

void UpstreamPeer::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

RawUpstream::RawUpstream(Script script, const TlsIdentity* identity)
    : script_(std::move(script)), identity_(identity) {
  auto listener = listen_on("127.0.0.1", 0);
  EXPECT_TRUE(listener.has_value());
  listener_ = std::move(*listener);
  port_ = local_port(listener_.get());
  thread_ = std::thread(&RawUpstream::serve, this);
}

RawUpstream::~RawUpstream() {
  stop_listening(listener_.get());
  thread_.join();
}

RawUpstream::Script RawUpstream::answers(std::string bytes) {
  return [bytes = std::move(bytes)](UpstreamPeer& peer, const std::string&) { peer.write(bytes); };
}

void RawUpstream::serve() {
  for (;;) {
    pollfd ready{listener_.get(), POLLIN, 0};
    ::poll(&ready, 1, -1);
    Accepted accepted = accept_one(listener_.get());
    if (accepted.status == AcceptStatus::Closed) return;
    if (accepted.status != AcceptStatus::Accepted) continue;
    UpstreamPeer peer(accepted.socket.get(), identity_);
    const std::string request = peer.is_open() ? peer.read_request() : std::string();
    {
      const std::lock_guard lock(mutex_);
      ++connections_;
      if (!request.empty()) requests_.push_back(request);
    }
    changed_.notify_all();
    if (!request.empty()) script_(peer, request);
  }
}

std::vector<std::string> RawUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t RawUpstream::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

std::vector<std::string> RawUpstream::requests_once(std::size_t count) const {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return requests_.size() >= count; }));
  return requests_;
}

}  // namespace mishap::server
