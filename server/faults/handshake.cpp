#include "server/faults/handshake.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mishap::server {
namespace {

Steps::iterator handshake_in(Steps& steps) {
  return std::find_if(steps.begin(), steps.end(),
                      [](const Step& step) { return std::holds_alternative<Handshake>(step); });
}

}  // namespace

Handshake* find_handshake(Steps& steps) {
  const auto at = handshake_in(steps);
  return at == steps.end() ? nullptr : &std::get<Handshake>(*at);
}

Steps up_to_handshake(Steps steps) {
  const auto at = handshake_in(steps);
  if (at != steps.end()) steps.erase(std::next(at), steps.end());
  return steps;
}

Steps replace_flight(Steps steps, std::string bytes) {
  Handshake* handshake = find_handshake(steps);
  if (handshake == nullptr) return steps;
  handshake->instead = std::move(bytes);
  steps = up_to_handshake(std::move(steps));
  steps.emplace_back(CloseConnection{});
  return steps;
}

HelloRead hello_of(const Proof& proof) {
  if (proof.connection == nullptr) return {nullptr, "nothing is known of the connection"};
  if (!proof.connection->tls) return {nullptr, "the connection speaks plain HTTP"};
  const TlsFacts& tls = *proof.connection->tls;
  if (tls.hello) return {&tls, std::nullopt};
  return {nullptr, tls.failure.empty() ? "the client began no TLS handshake" : tls.failure};
}

Shortfall flight_shortfall(const Proof& proof) {
  const auto [tls, missing] = hello_of(proof);
  if (missing) return missing;
  if (tls->flight_planned > 0 && tls->flight_sent == tls->flight_planned) return std::nullopt;
  return std::to_string(tls->flight_sent) + " of " + std::to_string(tls->flight_planned) +
         " bytes of the server's first flight went out";
}

Shortfall replaced_flight_shortfall(const Proof& proof) {
  if (auto missing = flight_shortfall(proof)) return missing;
  if (proof.connection->tls->finished) return "the handshake was finished";
  return std::nullopt;
}

Shortfall flight_cut_shortfall(const Proof& proof, const Position& after) {
  const auto [tls, missing] = hello_of(proof);
  if (missing) return missing;
  if (!after.share && after.bytes > tls->flight_planned) {
    return "the server's first flight has " + std::to_string(tls->flight_planned) +
           " bytes: nothing of it lies behind \"after\"";
  }
  const std::uint64_t wanted = bytes_before(after, tls->flight_planned);
  if (tls->flight_sent == wanted) return std::nullopt;
  return std::to_string(tls->flight_sent) + " bytes of the server's first flight went out, not " +
         std::to_string(wanted);
}

}  // namespace mishap::server
