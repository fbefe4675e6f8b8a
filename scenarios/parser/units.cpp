#include "mishap/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mishap/nearest_word.h"

namespace mishap {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;  // in the smallest unit
};

constexpr std::array kTimeUnits{Unit{"ns", 1},
                                Unit{"us", 1'000},
                                Unit{"ms", 1'000'000},
                                Unit{"s", 1'000'000'000},
                                Unit{"m", 60'000'000'000},
                                Unit{"h", 3'600'000'000'000}};
constexpr std::array kByteUnits{Unit{"KiB", 1ULL << 10}, Unit{"MiB", 1ULL << 20},
                                Unit{"GiB", 1ULL << 30}, Unit{"B", 1}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Text of a message: bounded, and nothing that could move a terminal's cursor.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out(text.substr(0, kMost));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (text.size() > kMost) out += "...";
  return out;
}

// "12.5ms" -> "12", "5", "ms". A decimal point needs digits on both sides.
struct Pieces {
  std::string_view whole;
  std::string_view fraction;
  std::string_view rest;
};

std::optional<Pieces> split_number(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0) return std::nullopt;
  Pieces pieces{text.substr(0, at), {}, {}};
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    const std::size_t begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    pieces.fraction = text.substr(begin, at - begin);
  }
  pieces.rest = text.substr(at);
  return pieces;
}

// 0.DIGITS of `unit`; nothing where that is not a whole number.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t unit) {
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.size() > 18) return std::nullopt;
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  for (const char c : digits) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(c - '0');
    denominator *= 10;
  }
  const std::uint64_t common = std::gcd(unit, denominator);
  if (numerator % (denominator / common) != 0) return std::nullopt;
  return numerator / (denominator / common) * (unit / common);
}

// A whole number of the smallest unit, exactly; nothing where it does not fit or is not whole.
std::optional<std::uint64_t> scaled(const Pieces& pieces, std::uint64_t unit, std::uint64_t most) {
  std::uint64_t whole = 0;
  const char* end = pieces.whole.data() + pieces.whole.size();
  if (std::from_chars(pieces.whole.data(), end, whole).ec != std::errc()) return std::nullopt;
  if (whole > most / unit) return std::nullopt;
  const auto rest = fraction_of(pieces.fraction, unit);
  if (!rest) return std::nullopt;
  const std::uint64_t value = whole * unit + *rest;
  if (value > most) return std::nullopt;
  return value;
}

template <std::size_t N>
const Unit* unit_named(const std::array<Unit, N>& units, std::string_view name) {
  const auto* found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : found;
}

std::string_view without_spaces_before(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// "1O s", "l0ms": letters that look like digits.
std::optional<std::string> with_digits_for_letters(std::string_view text) {
  std::string repaired;
  bool changed = false;
  bool in_number = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool looks_like_digit = c == 'O' || c == 'o' || c == 'l' || c == 'I';
    if (in_number && looks_like_digit) {
      repaired += c == 'O' || c == 'o' ? '0' : '1';
      changed = true;
    } else if (c != ' ') {
      if (!is_digit(c) && c != '.') in_number = false;
      repaired += c;
    }
  }
  if (!changed) return std::nullopt;
  return repaired;
}

template <std::size_t N>
bool reads_as(const std::array<Unit, N>& units, std::string_view text) {
  const auto pieces = split_number(text);
  return pieces && unit_named(units, pieces->rest) != nullptr;
}

// What to say about a text that is not a quantity of these units.
template <std::size_t N>
std::string not_a_quantity(std::string_view text, const std::array<Unit, N>& units,
                           std::string_view what, std::string_view examples) {
  if (const auto repaired = with_digits_for_letters(text); repaired && reads_as(units, *repaired)) {
    return fmt::format("\"{}\" is not {}: there is a letter among its digits; did you mean {}?",
                       shown(text), what, *repaired);
  }
  const auto pieces = split_number(text);
  if (!pieces) return fmt::format("\"{}\" is not {} such as {}", shown(text), what, examples);
  const std::string_view unit = without_spaces_before(pieces->rest);
  const std::string number(text.substr(0, text.size() - pieces->rest.size()));
  if (unit_named(units, unit) != nullptr) {
    return fmt::format("{} is written without a space: {}{}", what, shown(number), unit);
  }
  std::vector<std::string> names;
  for (const Unit& known : units) names.emplace_back(known.name);
  return unknown_word(fmt::format("unit of {}", what), shown(unit), names);
}

}  // namespace

tl::expected<Duration, std::string> parse_duration(std::string_view text) {
  const auto pieces = split_number(text);
  if (pieces && pieces->rest.empty()) {
    const std::string n = shown(text);
    return tl::unexpected(fmt::format("a duration needs its unit: {}s, {}ms or {}m?", n, n, n));
  }
  if (text.starts_with('-') && split_number(text.substr(1))) {
    return tl::unexpected(std::string("a duration cannot be negative"));
  }
  const Unit* unit = pieces ? unit_named(kTimeUnits, pieces->rest) : nullptr;
  if (unit == nullptr) {
    return tl::unexpected(not_a_quantity(text, kTimeUnits, "a duration", "250ms, 2s or 5m"));
  }
  constexpr std::uint64_t kMost = 876'000ULL * 3'600'000'000'000ULL;  // a hundred years
  const auto value = scaled(*pieces, unit->size, kMost);
  if (!value) {
    return tl::unexpected(
        fmt::format("\"{}\" is longer than 876000h or finer than 1ns", shown(text)));
  }
  return Duration(static_cast<std::int64_t>(*value));
}

tl::expected<std::uint64_t, std::string> parse_bytes(std::string_view text) {
  const auto pieces = split_number(text);
  if (pieces && pieces->rest.empty()) {
    const std::string n = shown(text);
    return tl::unexpected(fmt::format("a size needs its unit: {}B or {}KiB?", n, n));
  }
  if (text.starts_with('-') && split_number(text.substr(1))) {
    return tl::unexpected(std::string("a size cannot be negative"));
  }
  const Unit* unit = pieces ? unit_named(kByteUnits, pieces->rest) : nullptr;
  if (unit == nullptr) {
    return tl::unexpected(not_a_quantity(text, kByteUnits, "a size", "37B, 64KiB or 1MiB"));
  }
  constexpr std::uint64_t kMost = 1ULL << 50;
  const auto value = scaled(*pieces, unit->size, kMost);
  if (!value) {
    return tl::unexpected(
        fmt::format("\"{}\" is not a whole number of bytes below 1048576GiB", shown(text)));
  }
  return *value;
}

tl::expected<double, std::string> parse_percent(std::string_view text) {
  const bool has_sign = text.ends_with('%');
  const auto number = parse_number(has_sign ? text.substr(0, text.size() - 1) : text);
  if (!number) {
    return tl::unexpected(fmt::format("\"{}\" is not a share such as 30%", shown(text)));
  }
  if (!has_sign) {
    return tl::unexpected(fmt::format("a share needs its percent sign: {}%?", shown(text)));
  }
  if (*number < 0 || *number > 100) {
    return tl::unexpected(fmt::format("{} is not between 0% and 100%", shown(text)));
  }
  return *number / 100.0;
}

tl::expected<std::int64_t, std::string> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    return tl::unexpected(fmt::format("{} is too large a number", shown(text)));
  }
  if (result.ec != std::errc() || result.ptr != end) {
    return tl::unexpected(fmt::format("\"{}\" is not a whole number", shown(text)));
  }
  return value;
}

tl::expected<double, std::string> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  // from_chars takes "inf" and "nan" too; neither is a quantity.
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) {
    return tl::unexpected(fmt::format("\"{}\" is not a number", shown(text)));
  }
  return value;
}

tl::expected<StatusCode, std::string> parse_status(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 100 || *number > 599) {
    return tl::unexpected(fmt::format("\"{}\" is not an HTTP status from 100 to 599", shown(text)));
  }
  return static_cast<StatusCode>(*number);
}

namespace {

// `value` in units of `unit` with as many decimals as it needs.
std::string decimal(std::uint64_t value, std::uint64_t unit) {
  std::string text = fmt::format("{}", value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (std::uint64_t size = unit / 10; rest != 0; size /= 10) {
    text += static_cast<char>('0' + rest / size);
    rest %= size;
  }
  return text;
}

}  // namespace

std::string format_duration(Duration value) {
  if (value < Duration::zero()) {
    const auto positive = 0 - static_cast<std::uint64_t>(value.count());
    return fmt::format("-{}ns", positive);
  }
  const auto ns = static_cast<std::uint64_t>(value.count());
  if (ns == 0) return "0s";
  for (const std::string_view name : {"h", "m"}) {
    const Unit* unit = unit_named(kTimeUnits, name);
    if (ns % unit->size == 0) return fmt::format("{}{}", ns / unit->size, name);
  }
  for (const std::string_view name : {"s", "ms", "us"}) {
    const Unit* unit = unit_named(kTimeUnits, name);
    if (ns >= unit->size) return decimal(ns, unit->size) + std::string(name);
  }
  return fmt::format("{}ns", ns);
}

std::string format_bytes(std::uint64_t value) {
  for (const std::string_view name : {"GiB", "MiB", "KiB"}) {
    const Unit* unit = unit_named(kByteUnits, name);
    if (value != 0 && value % unit->size == 0) return fmt::format("{}{}", value / unit->size, name);
  }
  return fmt::format("{}B", value);
}

}  // namespace mishap
