#include "server/resources/decoded.h"

#include <algorithm>
#include <array>
#include <memory>

#include <zlib.h>

namespace mishap::server {
namespace {

constexpr int kGzip = MAX_WBITS + 16;
constexpr int kZlib = MAX_WBITS;
constexpr int kRaw = -MAX_WBITS;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::optional<std::string> inflated(std::string_view body, int window, std::uint64_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, int (*)(z_streamp)> ended(&stream, inflateEnd);
  // zlib reads from a pointer that it does not write through.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  std::string out;
  std::array<char, 16 * 1024> buffer;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = buffer.size() - stream.avail_out;
    if ((state != Z_OK && state != Z_STREAM_END) || out.size() + made > most) return std::nullopt;
    out.append(buffer.data(), made);
    if (state == Z_OK && made == 0 && stream.avail_in == 0) return std::nullopt;  // cut short
  }
  return out;
}

}  // namespace

std::optional<std::string> decoded(std::string_view coding, std::string_view body,
                                   std::uint64_t most) {
  const std::string name = lower(coding);
  if (name.empty() || name == "identity") return std::string(body);
  if (name == "gzip" || name == "x-gzip") return inflated(body, kGzip, most);
  if (name != "deflate") return std::nullopt;
  // RFC 9110 section 8.4.1.2 means zlib's format; some send what is inside it.
  auto out = inflated(body, kZlib, most);
  return out ? out : inflated(body, kRaw, most);
}

}  // namespace mishap::server
