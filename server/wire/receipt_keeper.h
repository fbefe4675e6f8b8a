#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mishap/journal.h"
#include "server/plan/step.h"
#include "server/wire/answer_head.h"

namespace mishap::server {

class RunningFingerprint;

// Keeps book of what was meant to be sent and what was. Does no I/O.
class ReceiptKeeper {
 public:
  explicit ReceiptKeeper(bool head_only);  // the request's method is HEAD
  ~ReceiptKeeper();

  void plan(Part part, std::string_view bytes);
  // The same bytes so many times.
  void plan_many(Part part, std::string_view unit, std::uint64_t times);
  // In the order of the plan; `at` was taken immediately before.
  void wrote(std::string_view bytes, Duration at);
  void wrote_interim(std::uint64_t bytes) { receipt_.interim_bytes += bytes; }
  void unacknowledged(std::optional<std::uint64_t> bytes) { receipt_.unacknowledged = bytes; }
  void late(Duration by);
  void signalled(ClientSignal signal) { receipt_.signals.push_back(std::move(signal)); }
  // The first thing that ended it counts.
  void end(Ending ending, std::optional<Duration> at);
  void left(Departure departure, std::optional<Duration> at);

  bool has_ended() const { return has_ended_; }
  bool has_written() const { return receipt_.bytes_written > 0; }
  // What was written is, by its own framing, a whole answer.
  bool is_complete() const;
  // Only the end of the connection tells the client that the answer is over.
  bool ends_with_connection() const;
  const AnswerHead& head() const { return head_; }
  std::optional<Duration> last_write() const { return receipt_.last_write; }

  Receipt receipt() const&;
  Receipt receipt() &&;  // when nothing more is to come of it

 private:
  Delivery delivery() const;
  void complete(Receipt& receipt) const;
  void note_write(std::uint64_t bytes, Duration at);
  bool has_no_body() const;

  Receipt receipt_;
  bool head_only_;
  bool has_ended_ = false;
  bool has_body_plan_ = false;
  bool ends_in_trailers_ = false;  // the body as planned, where it is coded in chunks
  std::string head_text_;
  std::string last_bytes_;  // of the body as written, to know the last chunk
  AnswerHead head_;         // as planned
  std::unique_ptr<RunningFingerprint> print_;
};

}  // namespace mishap::server
