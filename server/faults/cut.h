#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/faults/fault.h"

// Ending an exchange in the middle of things: what close, reset, stall and truncated_body share.
namespace mishap::server {

enum class CutBy { Fin, HalfClose, Rst, Stall };

// Everything from `point` on is left out and the connection ends, or falls silent. Inside the head
// and the body `after` says where. Steps in which there is nothing to cut (an answer without a
// body, a place beyond its end) come back as they were.
Steps cut(Steps steps, Point point, const Position& after, CutBy by);

// Where `after` is not written: the middle; of a request's body its first byte.
Position cut_place(const Params& params, Point point);
ParamSpec cut_place_param();

// `after` says something only inside of the answer or of the server's first flight of a handshake,
// and a landmark only in its own part.
void validate_cut_place(const Params& params, Point point, const SourceSpan& span,
                        Diagnostics& diagnostics);

// The steps, and then the ending. A RST waits until the client's kernel has what was sent before.
Steps end_with(Steps steps, CutBy by);
// What is missing for the exchange to have ended so.
std::optional<std::string> ending_shortfall(const Receipt& receipt, CutBy by);

// Behind a whole answer nothing is in doubt.
bool cut_is_harmless(const Params& params, Point point);

std::optional<std::string> cut_shortfall(const Proof& proof, CutBy by);
// The same at any point: in a handshake and in a request's body it needs
// to know where the cut was to be.
std::optional<std::string> cut_shortfall(const Proof& proof, const Params& params, CutBy by);

// The points at which an exchange can be cut, from accept to the answer's body, `first` in front.
std::vector<Point> cut_points(Point first);

}  // namespace mishap::server
