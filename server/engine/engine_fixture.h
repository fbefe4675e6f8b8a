#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/engine/engine.h"

// For tests: an engine with a wire of paper. Steps are performed in a time of its own, nothing
// waits, and the receipt tells what a well executor would have done.
namespace mishap::server {

// A vendor with one resource, one with any, and what is booked.
inline constexpr const char* kBooking = R"(mishap: 1
scenario: healthy
api:
  resources:
    bookings:
      path: /v1/bookings
      id_prefix: bk_
      reference: reference
      verbs: [create, read, list, replace, patch, delete]
      schema: {type: object, required: [reference]}
)";
inline constexpr const char* kAny = "mishap: 1\nscenario: healthy\napi: any\n";

inline constexpr const char* kTent = R"({"reference":"R1","product":"tent"})";

struct Ask {
  std::string method = "GET";
  std::string target = "/";
  std::vector<NameValue> headers = {};
  std::string body = {};
  std::uint64_t connection = 0;                     // 0: a new one
  std::optional<Duration> patience = std::nullopt;  // the client leaves then, if it still waits
};

// A request under way: its remaining steps.
struct Underway {
  std::uint64_t exchange = 0;
  std::uint64_t connection = 0;
  Steps steps;
  Ask ask;
  Receipt receipt;
  std::string bytes;  // of the answer, as written
  Duration sent{};
  bool cut = false;  // our FIN or RST is out, or the client is gone
  bool read = false;
};

class PaperWire {
 public:
  explicit PaperWire(const std::string& yaml, std::uint64_t seed = 1, int lanes = 1,
                     const std::string& token = "");

  // Of the lane and api in use.
  std::uint64_t connect();
  Exchange send(const Ask& ask);

  Underway start(const Ask& ask);         // up to and with the request moment
  void run_until_apply(Underway& under);  // performs what comes before Apply
  Exchange finish(Underway& under);       // the rest

  void pass(Duration time) { now += time; }
  Exchange recorded(std::uint64_t exchange);

  // The upstream, where the api has one.
  std::function<UpstreamResult(const UpstreamRequest&)> upstream;

  std::unique_ptr<Engine> engine;
  std::set<std::uint64_t> happened;  // events
  Duration now = std::chrono::seconds(1);
  std::string last_bytes;  // of the last answer
  int lane = 0;
  std::string api;
  Journal journal;  // of the last recorded()

 private:
  bool step(Underway& under);  // false: nothing is left
  void perform(Underway& under, const Step& step);
  Steps apply(Underway& under, const Apply& step);
  void write(Underway& under, const Send& send);
  void cut(Underway& under, Ending ending);
  void leave_if_impatient(Underway& under, Duration until);
};

// "status | header lines | blank | body" helpers for answers as bytes.
std::string body_of(const std::string& answer);
bool has_line(const std::string& answer, const std::string& line);

Ask post(const std::string& target, const std::string& json, const std::string& key = "");
Ask get(const std::string& target);

}  // namespace mishap::server
