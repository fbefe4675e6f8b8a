#include "server/outbound/answer_reader.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace mishap::server {

namespace http = boost::beast::http;
using boost::system::error_code;
using Text = boost::beast::string_view;

namespace {

constexpr int kMostInterim = 32;
constexpr StatusCode kSwitchingProtocols = 101;
// "0 CRLF CRLF". Beast's parser relies on seeing that much at once when the first chunk is the last
// one (an assertion of 1.81 otherwise).
constexpr std::size_t kShortestChunkedBody = 5;

std::string copied(Text text) {
  return {text.data(), text.size()};
}

}  // namespace

// Beast's grammar, with fields kept in the order in which they came (its own container sorts fields
// of one name together).
class AnswerReader::Parser final : public http::basic_parser<false> {
 public:
  UpstreamAnswer answer;

  // Whether a body begins behind the head with less than what can be read of it.
  bool is_too_short(std::size_t bytes) const {
    return has_head_ && chunked() && !is_body_begun_ && bytes < kShortestChunkedBody;
  }

  // Uses up what it can. The size of this head, or of this chunk's line or trailer, so far.
  std::uint64_t read(std::string& pending, error_code& error) {
    const std::size_t body = answer.body.size();
    const bool is_head = !has_head_;
    is_body_begun_ = has_head_;
    const std::size_t used = put(boost::asio::const_buffer(pending.data(), pending.size()), error);
    pending.erase(0, used);
    if (is_head) head_bytes_ += used;
    const std::uint64_t framing = is_head ? head_bytes_ : used - (answer.body.size() - body);
    return framing + (error == http::error::need_more ? pending.size() : 0);
  }

 private:
  void on_request_impl(http::verb, Text, Text, int, error_code&) override {}
  void on_response_impl(int status, Text reason, int, error_code&) override {
    answer.status = status;
    answer.reason = copied(reason);
  }
  void on_field_impl(http::field, Text name, Text value, error_code&) override {
    if (!has_head_) answer.headers.push_back({copied(name), copied(value)});
  }
  void on_header_impl(error_code&) override { has_head_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(Text body, error_code&) override {
    answer.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, error_code&) override {
    answer.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  bool has_head_ = false;
  bool is_body_begun_ = false;
  std::uint64_t head_bytes_ = 0;  // used up
};

AnswerReader::AnswerReader(bool to_head, Limits limits) : to_head_(to_head), limits_(limits) {
  begin();
}

AnswerReader::~AnswerReader() = default;

void AnswerReader::begin() {
  parser_ = std::make_unique<Parser>();
  // Counted by us: Beast counts the status line or not, as the bytes happen to come, and lets the
  // line of a chunk be of any length.
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
  parser_->body_limit(limits_.body);
  parser_->eager(false);
  parser_->skip(to_head_);
}

AnswerReader::State AnswerReader::feed(std::string_view bytes) {
  pending_ += bytes;
  return parse();
}

AnswerReader::State AnswerReader::parse() {
  while (!pending_.empty()) {
    if (parser_->is_too_short(pending_.size())) return State::More;
    error_code error;
    const std::uint64_t framing = parser_->read(pending_, error);
    if (framing > limits_.head) {
      return refuse(fmt::format("the head of its answer, or a line of it, has more than {} bytes",
                                limits_.head));
    }
    if (error == http::error::need_more) return State::More;
    if (error == http::error::body_limit) {
      return refuse(fmt::format("its answer has more than {} bytes", limits_.body));
    }
    if (error) return refuse("what it sent is no HTTP/1.1 answer: " + error.message());
    if (!parser_->is_done()) continue;
    const StatusCode status = parser_->answer.status;
    if (status == kSwitchingProtocols) return refuse("it switches to a protocol nobody asked for");
    if (status >= 200) return State::Whole;
    if (++interim_ > kMostInterim) return refuse("it sends one interim answer after another");
    begin();
  }
  return State::More;
}

AnswerReader::State AnswerReader::end() {
  if (!parser_->got_some()) return refuse("it closed the connection without an answer");
  error_code error;
  parser_->put_eof(error);
  if (error || !parser_->is_done() || parser_->answer.status < 200) {
    return refuse("the connection ended before its answer was whole");
  }
  return State::Whole;
}

AnswerReader::State AnswerReader::refuse(std::string complaint) {
  complaint_ = std::move(complaint);
  return State::Wrong;
}

UpstreamAnswer AnswerReader::take() {
  return std::move(parser_->answer);
}

}  // namespace mishap::server
