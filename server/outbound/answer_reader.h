#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/plan/upstream.h"

namespace mishap::server {

// Reads an upstream's answer out of its bytes: interim answers are passed over, chunks put
// together, fields kept in order and as they were written. Trailers are dropped.
class AnswerReader {
 public:
  struct Limits {
    std::uint64_t head = 64 * 1024;  // also of a chunk's line, and of the trailer
    std::uint64_t body = 0;
  };
  enum class State { More, Whole, Wrong };

  // `to_head`: the answer to a HEAD has no body, whatever its head says.
  AnswerReader(bool to_head, Limits limits);
  ~AnswerReader();

  State feed(std::string_view bytes);
  // The connection has ended in order: for some answers that is their end.
  State end();

  UpstreamAnswer take();
  const std::string& complaint() const { return complaint_; }  // of Wrong: one sentence

 private:
  class Parser;
  State parse();
  State refuse(std::string complaint);
  void begin();

  bool to_head_;
  Limits limits_;
  std::unique_ptr<Parser> parser_;
  std::string pending_;
  std::string complaint_;
  int interim_ = 0;
};

}  // namespace mishap::server
