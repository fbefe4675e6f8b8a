#include "server/wire/request_reader.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "cmake/fuzz/fuzz.h"

// Bytes of one connection: however they are cut, the same requests are read and the connection is
// refused or not; what is kept stays within the limits.
namespace mishap::server {
namespace {

using fuzz::Cut;
using fuzz::hold;
using Progress = RequestReader::Progress;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kRawKept = 4096;

// Small, so that a fuzzer's short inputs reach them.
constexpr scenarios::Limits kLimits = {.target = 64, .head = 256, .body = 100, .answer = 0};

enum class Bodies { Whole, InSteps, Skipped };

// All that was read from one connection.
struct Seen {
  std::vector<std::string> requests;
  bool rejected = false;
};

class Reading {
 public:
  explicit Reading(Bodies bodies) : bodies_(bodies), reader_(kLimits) {}

  void take(std::string_view bytes) {
    while (!bytes.empty() && !seen_.rejected) {
      const auto room = reader_.room();
      const std::size_t count = std::min(room.size(), bytes.size());
      std::copy_n(bytes.data(), count, room.data());
      reader_.commit(count, Duration{});
      bytes.remove_prefix(count);
      while (step()) {
      }
    }
  }

  const Seen& seen() const { return seen_; }

 private:
  bool step() {
    const Progress progress = in_body_ ? body() : reader_.parse_head();
    hold(reader_.is_rejected() == (progress == Progress::Rejected), "a rejection is told");
    if (progress == Progress::Rejected) check_rejection();
    if (progress != Progress::Done) return false;
    if (in_body_) {
      end_of_request();
    } else {
      check_head();
    }
    in_body_ = !in_body_;
    return true;
  }

  Progress body() {
    if (bodies_ == Bodies::Skipped) return reader_.skip_body();
    if (bodies_ == Bodies::Whole) return reader_.parse_body(kAll);
    for (;;) {
      const std::uint64_t limit = reader_.body_bytes() + 3;
      const Progress progress = reader_.parse_body(limit);
      hold(reader_.body_bytes() <= limit, "no more of a body is taken than was asked for");
      if (progress != Progress::Done || reader_.is_body_over()) return progress;
    }
  }

  void check_head() {
    const RequestHead& head = reader_.head();
    std::size_t kept = head.method.size() + head.target.size();
    for (const NameValue& field : head.headers) kept += field.name.size() + field.value.size();
    hold(kept <= kLimits.head, "a head is within its limit");
    hold(head.target.size() <= kLimits.target, "a target is within its limit");
    hold(!head.method.empty() && !head.target.empty(), "a request has a method and a target");
    hold(!head.expects_continue || head.has_body, "without a body nothing is waited for");
    hold(head.has_body || reader_.content_length().value_or(0) == 0, "a length is a body");
  }

  void check_rejection() {
    seen_.rejected = true;
    const Rejection& why = reader_.rejection();
    hold(why.status >= 400 && why.status <= 505, "a rejection has a status of its kind");
    hold(!why.reason.empty() && why.raw.size() <= kRawKept, "a rejection has a reason");
    hold(reader_.parse_head() == Progress::Rejected, "a rejection is for good");
  }

  void end_of_request() {
    hold(reader_.is_body_over(), "a body that was read is over");
    const RequestHead& head = reader_.head();
    std::string text =
        fmt::format("{} {} {} {} {} {}", head.method, head.target, head.minor_version,
                    head.has_body, head.expects_continue, reader_.asks_for_keep_alive());
    for (const NameValue& field : head.headers) text += "\n" + field.name + ":" + field.value;
    const std::uint64_t bytes = reader_.body_bytes();
    const std::string body = reader_.take_body();
    hold(body.size() == bytes && bytes <= kLimits.body, "a body is within its limit");
    if (bodies_ != Bodies::Skipped) {
      hold(bytes == reader_.content_length().value_or(bytes), "a body is as long as it says");
      text += "\n\n" + body;
    }
    seen_.requests.push_back(std::move(text));
    reader_.next();
  }

  Bodies bodies_;
  RequestReader reader_;
  Seen seen_;
  bool in_body_ = false;
};

Seen read(std::string_view text, Cut cut, Bodies bodies) {
  Reading reading(bodies);
  fuzz::feed(text, cut, [&](std::string_view piece) { reading.take(piece); });
  return reading.seen();
}

void check(std::string_view text) {
  const Seen whole = read(text, Cut::Whole, Bodies::Whole);
  for (const Cut cut : fuzz::kCuts) {
    for (const Bodies bodies : {Bodies::Whole, Bodies::InSteps}) {
      const Seen other = read(text, cut, bodies);
      hold(other.requests == whole.requests, "every cut gives the same requests");
      hold(other.rejected == whole.rejected, "every cut is refused or not alike");
    }
    const Seen skipped = read(text, cut, Bodies::Skipped);
    const bool as_many = skipped.requests.size() == whole.requests.size();
    hold(whole.rejected || (as_many && !skipped.rejected),
         "a body is over where it is, if skipped");
  }
}

}  // namespace
}  // namespace mishap::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::server::check(mishap::fuzz::text_of(data, size));
  return 0;
}
