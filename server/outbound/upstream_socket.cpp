#include "server/outbound/upstream_socket.h"

#include <memory>
#include <system_error>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace mishap::server {

namespace {

using Tcp = boost::asio::ip::tcp;

constexpr std::string_view kTooLate = "it did not answer in time";

std::string bytes_of(const Tcp::endpoint& endpoint) {
  return {reinterpret_cast<const char*>(endpoint.data()), endpoint.size()};
}

}  // namespace

UpstreamSocket::UpstreamSocket(IoThread& io, RunClock clock)
    : io_(io), clock_(clock), alarm_(io.context(), clock) {}

UpstreamSocket::~UpstreamSocket() {
  close();
}

void UpstreamSocket::close() {
  if (!socket_) return;
  io_.unwatch(socket_.get(), watch_);
  socket_.close();
}

void UpstreamSocket::watch(Descriptor socket) {
  close();
  socket_ = std::move(socket);
  changed_ = false;
  watch_ = io_.watch(socket_.get(), *this);
}

void UpstreamSocket::on_ready(const Readiness&) {
  changed_ = true;
  alarm_.wake();
}

void UpstreamSocket::cancel() {
  cancelled_ = true;
  alarm_.wake();
}

Task<bool> UpstreamSocket::changed(Duration deadline) {
  while (!changed_ && may_wait(deadline)) co_await alarm_.sleep_until(deadline);
  co_return std::exchange(changed_, false) && !cancelled_;
}

// A look-up runs on a thread of the library's and cannot be cut short: it is shared with its
// handler, which may come when nobody waits any more.
struct UpstreamSocket::Lookup {
  explicit Lookup(IoContext& io) : resolver(io) {}
  Tcp::resolver resolver;
  UpstreamSocket* waiter = nullptr;  // null: nobody waits any more
  bool done = false;
  Addresses addresses;
  std::string error;
};

Task<UpstreamSocket::Addresses> UpstreamSocket::find_addresses(std::string host, Port port,
                                                               Duration deadline,
                                                               std::string& why) {
  boost::system::error_code no_address;
  const auto literal = boost::asio::ip::make_address(host, no_address);
  if (!no_address) co_return Addresses{bytes_of(Tcp::endpoint(literal, port))};

  const auto lookup = std::make_shared<Lookup>(io_.context());
  lookup->waiter = this;
  auto taken = [lookup](const boost::system::error_code& error,
                        const Tcp::resolver::results_type& found) {
    lookup->done = true;
    if (error) lookup->error = error.message();
    for (const auto& entry : found) lookup->addresses.push_back(bytes_of(entry.endpoint()));
    if (lookup->waiter != nullptr) lookup->waiter->alarm_.wake();
  };
  lookup->resolver.async_resolve(host, std::to_string(port), std::move(taken));
  while (!lookup->done && may_wait(deadline)) co_await alarm_.sleep_until(deadline);
  lookup->waiter = nullptr;
  why = lookup->done ? lookup->error : std::string(kTooLate);
  co_return std::move(lookup->addresses);
}

Task<std::optional<std::string>> UpstreamSocket::connect_to(std::string address,
                                                            Duration deadline) {
  Dialled dialled = dial(address);
  int error = dialled.error;
  if (dialled.socket) {
    watch(std::move(dialled.socket));
    const bool is_settled = co_await changed(deadline);
    if (!is_settled) co_return std::string(kTooLate);
    error = connect_error(socket_.get());
  }
  if (error == 0) co_return std::nullopt;
  close();
  co_return std::generic_category().message(error);
}

Task<std::optional<std::string>> UpstreamSocket::connect(std::string host, Port port,
                                                         Duration deadline) {
  std::string why;
  const Addresses addresses = co_await find_addresses(host, port, deadline, why);
  if (addresses.empty()) co_return "its address cannot be found: " + why;
  std::optional<std::string> failure;
  for (const std::string& address : addresses) {
    failure = co_await connect_to(address, deadline);
    if (!failure) co_return std::nullopt;
    if (!may_wait(deadline)) break;
  }
  co_return failure;
}

}  // namespace mishap::server
