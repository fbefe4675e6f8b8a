#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/same_work/print.h"

// What is known of each exchange when it is over: the facts of mishap's journal (mishap/journal.h),
// but those that only faults, upstreams and batches give occasion for.
namespace same_work {

using Span = std::chrono::nanoseconds;  // since the server began

struct Field {
  std::string name;
  std::string value;
  bool secret = false;
};

struct Member {
  std::string name;
  std::string_view type;
};

struct Request {
  std::string method;
  std::string target;
  std::string path;
  int minor_version = 1;
  std::vector<Field> fields;
  std::uint64_t body_bytes = 0;
  bool complete = false;
  Print body;
  Print content;
  std::string_view kind;
  std::vector<Member> members;
  std::string key;
  std::string reference;
};

struct Identity {
  std::string_view by = "nothing";
  std::uint64_t operation = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t attempt = 0;
  bool overlapping = false;
};

struct RuleHit {
  std::size_t rule = 0;
  std::uint64_t op = 0;
};

struct Answer {
  int status = 0;
  std::vector<Field> fields;
  std::string body;  // empty in the record: its size and its print are kept
  std::uint64_t body_bytes = 0;
  Print print;
  bool is_a_rules = false;  // which answered in the vendor's place
  bool replayed = false;
};

struct Write {
  Span at{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

enum class Departure { None, Fin, Rst };

struct Receipt {
  std::uint64_t head_planned = 0;
  std::uint64_t bytes_planned = 0;
  std::uint64_t bytes_written = 0;
  Print bytes;
  std::vector<Write> writes;
  std::optional<std::uint64_t> unacknowledged;
  std::string_view ending = "open";
  Span ended{};
  Departure departure = Departure::None;
  Span departed{};
};

struct Exchange {
  std::uint64_t number = 0;
  std::uint64_t connection = 0;
  std::uint64_t on_connection = 0;
  Span first_byte{};
  Span request_read{};
  std::optional<Span> applied;
  Request request;
  Identity identity;
  std::string_view role = "attempt";
  bool safe = false;
  bool idempotent = false;
  std::vector<std::uint64_t> looked_up;
  bool found = false;
  std::vector<std::uint64_t> effects;
  std::vector<RuleHit> rules;
  Answer answer;
  Receipt receipt;
  std::string note;
};

struct Effect {
  std::uint64_t number = 0;
  Span at{};
  std::uint64_t exchange = 0;
  std::uint64_t operation = 0;
  std::string collection;
  std::string id;
  std::string reference;
};

struct Connection {
  std::uint64_t number = 0;
  std::uint16_t client_port = 0;
  Span accepted{};
  std::uint64_t exchanges = 0;
  Span closed{};
  Departure departure = Departure::None;
  Span departed{};
};

// A line of JSON each, with its end of line.
void append_line(std::string& out, const Exchange& exchange);
void append_line(std::string& out, const Effect& effect);
void append_line(std::string& out, const Connection& connection);

// Text that becomes a JSON string; what is not UTF-8 a map with its bytes in hex.
void append_text(std::string& out, std::string_view text);

// The newest of each kind in memory; older ones as lines in a file without a name.
class Log {
 public:
  explicit Log(std::size_t in_memory) : in_memory_(in_memory) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void add(Exchange exchange) { keep(exchanges_, std::move(exchange)); }
  void add(Effect effect) { keep(effects_, std::move(effect)); }
  void add(Connection connection) { keep(connections_, std::move(connection)); }

  // All of it, the oldest of each kind first; false where a file could not be written.
  bool write_all(const std::string& path);

 private:
  template <typename Record>
  void keep(std::deque<Record>& records, Record record) {
    records.push_back(std::move(record));
    if (records.size() <= in_memory_) return;
    append_line(pending_, records.front());
    records.pop_front();
    if (pending_.size() >= kAtOnce) flush();
  }
  void flush();

  static constexpr std::size_t kAtOnce = 256 * 1024;
  std::size_t in_memory_;
  std::deque<Exchange> exchanges_;
  std::deque<Effect> effects_;
  std::deque<Connection> connections_;
  std::string pending_;
  int file_ = -1;
  bool has_failed_ = false;
};

}  // namespace same_work
