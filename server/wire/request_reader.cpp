#include "server/wire/request_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "server/wire/head_rules.h"

namespace mishap::server {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

constexpr std::size_t kRoom = 16 * 1024;
constexpr std::size_t kRawKept = 4 * 1024;
// A chunked body is at least "0 CRLF CRLF" long. Beast's parser relies on seeing that much at once
// when the first chunk is the last one (an assertion of 1.81 otherwise).
constexpr std::size_t kShortestChunkedBody = 5;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Beast's grammar with our own memory: its message type would group equal header names and so
// lose their order.
class Parser final : public http::basic_parser<true> {
 public:
  Parser() {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // the limits are checked by us
    body_limit(boost::none);
    eager(false);
  }

  RequestHead head;
  std::string body;
  std::uint64_t allowed = 0;  // body bytes that may still be taken
  std::uint64_t taken = 0;    // body bytes so far, kept or discarded
  bool discards = false;
  std::uint64_t longest_chunk = 0;  // announced, whether or not it has come

 private:
  // Base class names these parameters' types: boost's string_view.
  using View = boost::beast::string_view;

  void on_request_impl(http::verb, View method, View target, int version, error_code&) override {
    head.method.assign(method.data(), method.size());
    head.target.assign(target.data(), target.size());
    head.minor_version = version % 10;
  }
  void on_response_impl(int, View, int, error_code&) override {}
  void on_field_impl(http::field, View name, View value, error_code&) override {
    if (is_header_done()) return;  // a trailer
    head.headers.push_back(
        {std::string(name.data(), name.size()), std::string(value.data(), value.size())});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(View bytes, error_code&) override { return take(bytes); }
  void on_chunk_header_impl(std::uint64_t size, View, error_code&) override {
    longest_chunk = std::max(longest_chunk, size);
  }
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, error_code&) override {
    return take(bytes);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t take(View bytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), allowed));
    if (!discards) body.append(bytes.data(), count);
    allowed -= count;
    taken += count;
    return count;
  }
};

// What is being read goes here first: to make room in a string is to fill it with zeros, which
// costs more than most requests are long.
std::span<char> room_of_this_thread() {
  thread_local std::array<char, kRoom> room;
  return room;
}

}  // namespace

struct RequestReader::Impl {
  explicit Impl(const scenarios::Limits& given) : limits(given) {}

  std::string_view buffered() const { return std::string_view(data).substr(begin); }
  void consume(std::size_t bytes) { begin += bytes; }
  void skip_empty_lines();
  bool put(std::string_view bytes, std::size_t& used, error_code& error);
  Progress parse_request_line();
  Progress parse_fields();
  Progress finish_head(std::size_t length);
  Progress parse_body(std::uint64_t limit, bool discard);
  Progress step_body();
  Progress refuse(const Refusal& refusal) { return refuse(refusal.status, refusal.reason); }
  Progress refuse(StatusCode status, std::string reason);
  Progress refuse_body(const error_code& error);
  std::uint64_t body_limit_left() const;

  scenarios::Limits limits;
  std::string data;          // as read; before `begin` it is used up
  std::size_t begin = 0;     // while a head is being read: its first byte
  std::size_t line_end = 0;  // of the request line, from `begin`; 0: not there yet
  std::size_t searched = 0;  // for the end of the head, from `begin`
  Duration first{};
  Duration last{};
  Duration noticed{};  // the first of the bytes that were read last
  bool is_first_known = false;
  std::optional<Parser> parser{std::in_place};
  bool is_head = false;
  bool is_body_begun = false;
  std::uint64_t kept = 0;
  std::string raw_head;  // first bytes, for a rejection in the body
  std::optional<Rejection> rejection;
};

RequestReader::RequestReader(const scenarios::Limits& limits)
    : impl_(std::make_unique<Impl>(limits)) {}

RequestReader::~RequestReader() = default;
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;

std::span<char> RequestReader::room() {
  Impl& me = *impl_;
  if (me.begin > 0) {
    me.data.erase(0, me.begin);
    me.begin = 0;
  }
  return room_of_this_thread();
}

void RequestReader::commit(std::size_t bytes, Duration now, Duration noticed) {
  Impl& me = *impl_;
  if (bytes == 0) return;
  me.data.append(room_of_this_thread().data(), bytes);
  me.last = now;
  me.noticed = noticed;
}

void RequestReader::Impl::skip_empty_lines() {
  // RFC 9112 section 2.2: old clients send a CRLF too many after a body.
  while (buffered().starts_with("\r\n")) consume(2);
}

bool RequestReader::started() const {
  impl_->skip_empty_lines();
  const std::string_view bytes = impl_->buffered();
  return !bytes.empty() && bytes != "\r";
}

Duration RequestReader::first_byte() const {
  return impl_->first;
}

Duration RequestReader::last_byte() const {
  return impl_->last;
}

bool RequestReader::Impl::put(std::string_view bytes, std::size_t& used, error_code& error) {
  used = parser->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  return !error || error == http::error::need_more;
}

RequestReader::Progress RequestReader::parse_head() {
  Impl& me = *impl_;
  if (me.rejection) return Progress::Rejected;
  if (!started()) return Progress::NeedMore;
  if (!std::exchange(me.is_first_known, true)) me.first = me.noticed;
  if (me.line_end == 0) {
    const Progress line = me.parse_request_line();
    if (line != Progress::Done) return line;
  }
  return me.parse_fields();
}

RequestReader::Progress RequestReader::Impl::parse_request_line() {
  if (const auto refusal = refuse_start(buffered(), limits)) return refuse(*refusal);
  const auto end = buffered().find('\n');
  if (end == std::string_view::npos) return Progress::NeedMore;
  const std::string_view line = buffered().substr(0, end + 1);
  std::size_t used = 0;
  error_code error;
  if (!put(line, used, error) || used != line.size()) return refuse(explain_request_line(line));
  line_end = line.size();
  searched = line.size() - 1;
  return Progress::Done;
}

RequestReader::Progress RequestReader::Impl::parse_fields() {
  constexpr const char* kTooLong = "the request head is longer than the limit";
  const auto end = end_of_head(buffered(), searched);
  if (!end) {
    if (buffered().size() > limits.head) return refuse(431, kTooLong);
    // The line end may still be cut: CR LF CR.
    searched =
        std::max(line_end - 1, buffered().size() - std::min<std::size_t>(buffered().size(), 3));
    return Progress::NeedMore;
  }
  if (*end > limits.head) return refuse(431, kTooLong);
  const std::string_view raw = buffered().substr(0, *end);
  if (const auto refusal = refuse_head(raw)) return refuse(*refusal);
  std::size_t used = 0;
  error_code error;
  const bool fine = put(raw.substr(line_end), used, error);
  if (!fine) return refuse(400, "the request head is malformed: " + error.message());
  if (!parser->is_header_done()) return refuse(400, "a line of the head does not end in CRLF");
  return finish_head(raw.size());
}

RequestReader::Progress RequestReader::Impl::finish_head(std::size_t length) {
  RequestHead& head = parser->head;
  if (const auto refusal = refuse_fields(head.minor_version, head.headers)) return refuse(*refusal);
  raw_head = std::string(buffered().substr(0, std::min(length, kRawKept)));
  consume(length);
  is_head = head.method == "HEAD";
  head.has_body = !parser->is_done();
  for (const NameValue& header : head.headers) {
    // RFC 9110 section 10.1.1: ignored in HTTP/1.0, and meaningless without content.
    if (equal_names(header.name, "Expect") && has_token(header.value, "100-continue")) {
      head.expects_continue = head.minor_version >= 1 && head.has_body;
    }
  }
  return Progress::Done;
}

const RequestHead& RequestReader::head() const {
  return impl_->parser->head;
}

RequestHead RequestReader::take_head() {
  RequestHead& head = impl_->parser->head;
  return {std::move(head.method),  std::move(head.target), head.minor_version,
          std::move(head.headers), head.expects_continue,  head.has_body};
}

bool RequestReader::is_head_method() const {
  return impl_->is_head;
}

int RequestReader::minor_version() const {
  return impl_->parser->head.minor_version;
}

bool RequestReader::asks_for_keep_alive() const {
  return impl_->parser->is_header_done() && impl_->parser->keep_alive();
}

bool RequestReader::expects_continue() const {
  return impl_->parser->head.expects_continue;
}

std::optional<std::uint64_t> RequestReader::content_length() const {
  if (!impl_->parser->is_header_done()) return std::nullopt;
  const auto length = impl_->parser->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

RequestReader::Progress RequestReader::parse_body(std::uint64_t limit) {
  return impl_->parse_body(limit, false);
}

RequestReader::Progress RequestReader::skip_body() {
  return impl_->parse_body(kNoLimit, true);
}

std::uint64_t RequestReader::Impl::body_limit_left() const {
  return limits.body - std::min<std::uint64_t>(limits.body, kept);
}

RequestReader::Progress RequestReader::Impl::parse_body(std::uint64_t limit, bool discard) {
  if (rejection) return Progress::Rejected;
  parser->discards = discard;
  while (!parser->is_done()) {
    if (!discard && kept >= limit) return Progress::Done;
    parser->allowed =
        discard ? kNoLimit : std::min(limit - kept, body_limit_left() + 1);  // one over: 413
    const std::size_t before = parser->body.size();
    const Progress progress = step_body();
    kept += parser->body.size() - before;
    // Refused when it is announced, like a Content-Length: the client may wait before it sends.
    if (!discard && parser->longest_chunk > limits.body) {
      return refuse(413, "a chunk of the body is longer than the limit");
    }
    if (progress != Progress::Done) return progress;
    if (!discard && kept > limits.body) return refuse(413, "the body is longer than the limit");
  }
  return Progress::Done;
}

RequestReader::Progress RequestReader::Impl::step_body() {
  const std::string_view bytes = buffered();
  const bool is_short = parser->chunked() && !is_body_begun && bytes.size() < kShortestChunkedBody;
  if (bytes.empty() || is_short) return Progress::NeedMore;
  is_body_begun = true;
  const std::uint64_t taken = parser->taken;
  std::size_t used = 0;
  error_code error;
  if (!put(bytes, used, error)) return refuse_body(error);
  consume(used);
  // A chunk's header line or the trailer, whether it came at once or does not end.
  const std::uint64_t framing = used - (parser->taken - taken) + (error ? buffered().size() : 0);
  if (framing > limits.head) {
    return refuse(431, "a chunk header or the trailer is longer than the limit");
  }
  return error ? Progress::NeedMore : Progress::Done;
}

RequestReader::Progress RequestReader::Impl::refuse_body(const error_code& error) {
  return refuse(400, "the body is malformed: " + error.message());
}

bool RequestReader::is_body_over() const {
  return impl_->parser->is_header_done() && impl_->parser->is_done();
}

std::uint64_t RequestReader::body_bytes() const {
  return impl_->kept;
}

std::string RequestReader::take_body() {
  impl_->raw_head = {};  // nothing of this request can be refused any more
  return std::move(impl_->parser->body);
}

const Rejection& RequestReader::rejection() const {
  return *impl_->rejection;
}

bool RequestReader::is_rejected() const {
  return impl_->rejection.has_value();
}

RequestReader::Progress RequestReader::reject(StatusCode status, std::string reason) {
  return impl_->refuse(status, std::move(reason));
}

RequestReader::Progress RequestReader::Impl::refuse(StatusCode status, std::string reason) {
  // In the body, the head's bytes are used up already; they tell more than what follows.
  std::string raw = raw_head + std::string(buffered().substr(0, kRawKept));
  raw.resize(std::min(raw.size(), kRawKept));
  rejection = Rejection{status, std::move(reason), std::move(raw)};
  return Progress::Rejected;
}

void RequestReader::next() {
  Impl& me = *impl_;
  me.parser.emplace();
  me.line_end = 0;
  me.searched = 0;
  me.is_first_known = false;
  me.noticed = me.last;
  me.is_head = false;
  me.is_body_begun = false;
  me.kept = 0;
  me.raw_head.clear();
}

}  // namespace mishap::server
