#include "bench/same_work/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include <simdjson.h>

namespace same_work {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 0x0f];
    } else {
      out += c;
    }
  }
}

// The members of one map, behind its brace.
class Map {
 public:
  explicit Map(std::string& out) : out_(out) { out_ += '{'; }
  ~Map() { out_ += '}'; }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  std::string& key(std::string_view name) {
    if (!std::exchange(is_first_, false)) out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return out_;
  }
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) append_text(key(name), value);
  }
  // Ours, without anything to escape.
  void word(std::string_view name, std::string_view value) {
    key(name) += '"';
    out_ += value;
    out_ += '"';
  }
  void print(std::string_view name, const Print& value) {
    if (value) word(name, text_of(value));
  }
  void number(std::string_view name, std::integral auto value) {
    std::array<char, 24> digits;
    key(name).append(digits.data(),
                     std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  void instant(std::string_view name, Span value) { number(name, value.count()); }
  void flag(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

template <typename Item, typename Put>
void list(Map& map, std::string_view name, const std::vector<Item>& items, Put put) {
  if (items.empty()) return;
  std::string& out = map.key(name);
  char before = '[';
  for (const Item& item : items) {
    out += std::exchange(before, ',');
    put(out, item);
  }
  out += ']';
}

void put_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void put_field(std::string& out, const Field& field) {
  Map map(out);
  map.text("name", field.name);
  map.text("value", field.value);
  map.flag("secret", field.secret);
}

void put_request(std::string& out, const Request& request) {
  Map map(out);
  map.text("method", request.method);
  map.text("target", request.target);
  map.text("path", request.path);
  map.word("version", request.minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1");
  list(map, "headers", request.fields, put_field);
  map.number("body_bytes", request.body_bytes);
  map.flag("complete", request.complete);
  map.print("body_hash", request.body);
  map.print("content_hash", request.content);
  map.text("body_kind", request.kind);
  list(map, "members", request.members, [](std::string& to, const Member& member) {
    Map one(to);
    one.text("name", member.name);
    one.word("type", member.type);
  });
  map.text("key", request.key);
  map.text("reference", request.reference);
}

void put_identity(std::string& out, const Identity& identity) {
  Map map(out);
  map.word("by", identity.by);
  map.number("operation", identity.operation);
  map.number("ordinal", identity.ordinal);
  map.number("attempt", identity.attempt);
  map.flag("overlapping", identity.overlapping);
}

void put_answer(std::string& out, const Answer& answer) {
  Map map(out);
  map.number("status", answer.status);
  list(map, "headers", answer.fields, put_field);
  map.number("body_bytes", answer.body_bytes);
  map.print("body_hash", answer.print);
  map.flag("healthy", !answer.is_a_rules);
  map.flag("changed", answer.is_a_rules);
  map.flag("success", answer.status / 100 == 2);
  map.flag("replayed", answer.replayed);
}

std::string_view word_of(Departure departure) {
  switch (departure) {
    case Departure::None:
      return "none";
    case Departure::Fin:
      return "fin";
    case Departure::Rst:
      break;
  }
  return "rst";
}

std::string_view delivery_of(const Receipt& receipt) {
  if (receipt.bytes_written == 0) return "nothing";
  if (receipt.bytes_written < receipt.head_planned) return "part_of_head";
  return receipt.bytes_written < receipt.bytes_planned ? "part_of_body" : "complete";
}

void put_write(std::string& out, const Write& write) {
  Map map(out);
  map.instant("at", write.at);
  map.number("offset", write.offset);
  map.number("bytes", write.bytes);
}

void put_receipt(std::string& out, const Receipt& receipt) {
  Map map(out);
  if (!receipt.writes.empty()) {
    map.instant("first_write", receipt.writes.front().at);
    map.instant("last_write", receipt.writes.back().at);
  }
  map.number("bytes_planned", receipt.bytes_planned);
  map.number("head_planned", receipt.head_planned);
  map.number("bytes_written", receipt.bytes_written);
  map.print("bytes_hash", receipt.bytes);
  list(map, "writes", receipt.writes, put_write);
  if (receipt.unacknowledged) map.number("unacknowledged", *receipt.unacknowledged);
  map.word("delivery", delivery_of(receipt));
  map.word("ending", receipt.ending);
  map.instant("ended", receipt.ended);
  map.word("departure", word_of(receipt.departure));
  if (receipt.departure != Departure::None) map.instant("departed", receipt.departed);
}

void put_rule(std::string& out, const RuleHit& hit) {
  Map map(out);
  map.number("rule", hit.rule);
  map.flag("fired", true);
  map.number("op", hit.op);
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    out += '"';
    out += text;
    out += '"';
  } else if (simdjson::validate_utf8(text.data(), text.size())) {
    out += '"';
    append_escaped(out, text);
    out += '"';
  } else {
    out += R"({"hex":")";
    for (const char c : text) {
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 0x0f];
    }
    out += R"("})";
  }
}

void append_line(std::string& out, const Exchange& exchange) {
  {
    Map map(out);
    map.word("kind", "exchange");
    map.number("number", exchange.number);
    map.number("connection", exchange.connection);
    map.number("on_connection", exchange.on_connection);
    map.instant("first_byte", exchange.first_byte);
    map.instant("request_read", exchange.request_read);
    if (exchange.applied) map.instant("applied", *exchange.applied);
    put_request(map.key("request"), exchange.request);
    put_identity(map.key("identity"), exchange.identity);
    map.word("role", exchange.role);
    map.flag("safe", exchange.safe);
    map.flag("idempotent", exchange.idempotent);
    list(map, "looked_up", exchange.looked_up, put_number);
    map.flag("found", exchange.found);
    list(map, "effects", exchange.effects, put_number);
    list(map, "rules", exchange.rules, put_rule);
    put_answer(map.key("answer"), exchange.answer);
    put_receipt(map.key("receipt"), exchange.receipt);
    map.text("note", exchange.note);
  }
  out += '\n';
}

void append_line(std::string& out, const Effect& effect) {
  {
    Map map(out);
    map.word("kind", "effect");
    map.number("number", effect.number);
    map.instant("at", effect.at);
    map.number("exchange", effect.exchange);
    map.number("operation", effect.operation);
    map.word("effect", "created");
    map.text("resource", effect.collection);
    map.text("id", effect.id);
    map.text("reference", effect.reference);
  }
  out += '\n';
}

void append_line(std::string& out, const Connection& connection) {
  {
    Map map(out);
    map.word("kind", "connection");
    map.number("number", connection.number);
    map.number("client_port", connection.client_port);
    map.instant("accepted", connection.accepted);
    map.number("exchanges", connection.exchanges);
    map.instant("closed", connection.closed);
    map.word("departure", word_of(connection.departure));
    if (connection.departure != Departure::None) map.instant("departed", connection.departed);
  }
  out += '\n';
}

Log::~Log() {
  if (file_ >= 0) ::close(file_);
}

void Log::flush() {
  if (file_ < 0 && !has_failed_) {
    std::string name = (std::filesystem::temp_directory_path() / "same-work-XXXXXX").string();
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ >= 0) ::unlink(name.c_str());
  }
  std::string_view rest = pending_;
  while (!rest.empty() && !has_failed_) {
    const ssize_t put = ::write(file_, rest.data(), rest.size());
    has_failed_ = put <= 0;
    if (!has_failed_) rest.remove_prefix(static_cast<std::size_t>(put));
  }
  pending_.clear();
}

bool Log::write_all(const std::string& path) {
  flush();
  std::ofstream out(path, std::ios::binary);
  std::array<char, 64 * 1024> block;
  off_t at = 0;
  for (ssize_t got = 1; file_ >= 0 && got > 0; at += got) {
    got = ::pread(file_, block.data(), block.size(), at);
    if (got > 0) out.write(block.data(), got);
  }
  std::string lines;
  for (const Connection& connection : connections_) append_line(lines, connection);
  for (const Exchange& exchange : exchanges_) append_line(lines, exchange);
  for (const Effect& effect : effects_) append_line(lines, effect);
  out << lines;
  return !has_failed_ && out.flush().good();
}

}  // namespace same_work
