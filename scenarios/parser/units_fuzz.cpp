#include <cmath>
#include <string>

#include "cmake/fuzz/fuzz.h"
#include "mishap/local_url.h"
#include "mishap/parameters.h"
#include "mishap/printable.h"
#include "mishap/units.h"

// Quantities and other single words: what is read is in its range, and what is written of it reads
// as the same.
namespace mishap {
namespace {

using fuzz::hold;

void check_quantities(std::string_view text) {
  if (const auto duration = parse_duration(text)) {
    hold(*duration >= Duration{}, "a duration is not negative");
    hold(parse_duration(format_duration(*duration)) == duration, "a duration reads as written");
  }
  if (const auto bytes = parse_bytes(text)) {
    hold(parse_bytes(format_bytes(*bytes)) == bytes, "a size reads as written");
  }
  if (const auto share = parse_percent(text)) hold(*share >= 0 && *share <= 1, "a share is one");
  if (const auto number = parse_integer(text)) {
    hold(parse_integer(std::to_string(*number)) == number, "a number reads as written");
  }
  if (const auto number = parse_number(text)) hold(std::isfinite(*number), "a number is finite");
  if (const auto status = parse_status(text)) hold(*status >= 100 && *status <= 599, "a status");
}

void check_words(std::string_view text) {
  if (const auto place = parse_position(text)) {
    const auto again = parse_position(to_string(*place));
    hold(again.has_value(), "a place is written in words that are read");
    hold(place->share || *again == *place, "a place reads as written");
  }
  if (const auto url = scenarios::read_local_url(std::string(text))) {
    hold(url->host == "localhost" || url->host == "::1" || url->host.starts_with("127."),
         "a local URL is of this machine");
    hold(url->host != "::1" || text.find("[::1]") != std::string_view::npos, "and said to be");
    hold(url->target.starts_with('/'), "and its target is a path");
    hold(url->target.find_first_of(std::string_view("\r\n \0", 4)) == std::string::npos,
         "and that goes into a request line as it is");
  }
  const std::string shown = printable(text);
  for (const char c : shown) {
    hold(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control byte is shown");
  }
  hold(printable(shown) == shown, "what is fit to be shown stays as it is");
}

}  // namespace
}  // namespace mishap

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = mishap::fuzz::text_of(data, size);
  mishap::check_quantities(text);
  mishap::check_words(text);
  return 0;
}
