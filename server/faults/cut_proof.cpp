#include "server/faults/cut.h"
#include "server/faults/handshake.h"
#include "server/faults/proof.h"

// What a receipt has to say of an exchange that was cut.
namespace mishap::server {
namespace {

Shortfall request_body_shortfall(const Exchange& exchange, const Position& after) {
  if (exchange.request_read) return "the body is no longer than \"after\"";
  const std::uint64_t read = exchange.request.body_bytes;
  if (read == after.bytes) return std::nullopt;
  return std::to_string(read) + " bytes of the body were read, not " + std::to_string(after.bytes);
}

Shortfall accept_shortfall(const Proof& proof, CutBy by) {
  if (proof.connection == nullptr) return "nothing is known of the connection";
  const Connection& connection = *proof.connection;
  if (connection.exchanges != 0) return "a request was read";
  const bool server_first =
      connection.server_ended &&
      (!connection.departed || *connection.server_ended <= *connection.departed);
  if (by == CutBy::Stall) {
    // At its end the run closes what is still held: then nobody left before us.
    if (connection.departed && server_first) return "the server ended the connection first";
    return std::nullopt;
  }
  if (server_first) return std::nullopt;
  return "the client left first";
}

Shortfall silence_shortfall(const Exchange& exchange, bool applied) {
  if (!answered_nothing(exchange)) return "bytes of an answer went out";
  if (applied && !exchange.applied) return "the effect never came";
  if (!applied && exchange.applied) return "it took effect";
  return std::nullopt;
}

// An answer without a length is whole to its reader wherever it ends.
bool lacks_body(const Exchange& exchange) {
  const Receipt& receipt = exchange.receipt;
  return receipt.bytes_written < receipt.head_planned + exchange.answer.body_bytes;
}

// Some, but not all, and what there was of it went out.
Shortfall part_shortfall(const Exchange& exchange, std::string_view part) {
  const Receipt& receipt = exchange.receipt;
  if (receipt.delivery == Delivery::Complete && !lacks_body(exchange)) {
    return "the answer went out whole: nothing of its " + std::string(part) +
           " lies behind \"after\"";
  }
  if (receipt.bytes_written < receipt.bytes_planned) return "fewer bytes went out than scripted";
  return std::nullopt;
}

Shortfall bytes_shortfall(const Proof& proof) {
  const Exchange& exchange = proof.exchange;
  switch (proof.point) {
    case Point::RequestHead:
    case Point::RequestBody:
      return silence_shortfall(exchange, false);
    case Point::BeforeEffect:
      if (!exchange.request_read) return "the request was not read whole";
      return silence_shortfall(exchange, false);
    case Point::AfterEffect:
      return silence_shortfall(exchange, true);
    case Point::ResponseHead:
      return part_shortfall(exchange, "head");
    case Point::ResponseBody:
      if (exchange.receipt.bytes_written == 0) return "not a byte of the answer went out";
      return part_shortfall(exchange, "body");
    case Point::AfterResponse:
      if (exchange.receipt.delivery == Delivery::Complete) return std::nullopt;
      return "the answer did not go out whole";
    default:
      return "this point is not served";
  }
}

}  // namespace

Shortfall ending_shortfall(const Receipt& receipt, CutBy by) {
  const Ending ending = receipt.ending;
  switch (by) {
    case CutBy::Fin:
    case CutBy::HalfClose:
      if (ending == Ending::Closed || ending == Ending::Finished) return std::nullopt;
      break;
    case CutBy::Rst:
      if (ending == Ending::Reset) return std::nullopt;
      break;
    case CutBy::Stall:
      // The run may end while it holds, and a client may be gone when it begins.
      if (ending == Ending::Stalled || ending == Ending::Open) return std::nullopt;
      if (ending == Ending::ClientLeft && receipt.departed) return std::nullopt;
      return "the connection was not held silently";
  }
  if (ending == Ending::ClientLeft) return "the client left first";
  return by == CutBy::Rst ? "no RST was sent" : "no FIN was sent";
}

Shortfall cut_shortfall(const Proof& proof, CutBy by) {
  if (proof.point == Point::Accept) return accept_shortfall(proof, by);
  if (auto missing = bytes_shortfall(proof)) return missing;
  return ending_shortfall(proof.exchange.receipt, by);
}

Shortfall cut_shortfall(const Proof& proof, const Params& params, CutBy by) {
  const Position after = cut_place(params, proof.point);
  if (proof.point == Point::Handshake) {
    if (auto missing = flight_cut_shortfall(proof, after)) return missing;
    return accept_shortfall(proof, by);
  }
  if (proof.point == Point::RequestBody) {
    if (auto missing = request_body_shortfall(proof.exchange, after)) return missing;
  }
  return cut_shortfall(proof, by);
}

}  // namespace mishap::server
