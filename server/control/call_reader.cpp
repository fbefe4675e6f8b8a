#include "server/control/call_reader.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace mishap::server::control {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

Problem head_too_long() {
  return problem(431, "the head of the call is longer than 16 KiB").value();
}

Problem problem_of_parse(const error_code& error) {
  if (error == http::error::body_limit) {
    return problem(413, "the body is longer than 1 MiB").value();
  }
  if (error == http::error::header_limit) return head_too_long();
  return problem(400, "not an HTTP/1.1 request: " + error.message()).value();
}

std::string text_of(boost::beast::string_view view) {
  return {view.data(), view.size()};
}

}  // namespace

struct CallReader::Parser {
  using Field = boost::beast::http::field;
  boost::beast::http::request_parser<boost::beast::http::string_body> http;

  std::optional<Problem> problem_of_head() const {
    const auto& message = http.get();
    if (message.target().size() > kMostTarget) {
      return problem(414, "the target of the call is longer than 1 KiB").value();
    }
    if (message.find(Field::content_encoding) != message.end()) {
      return problem(415, "bodies with a Content-Encoding are not read", "send it plain").value();
    }
    if (message.find(Field::transfer_encoding) != message.end()) {
      return problem(411, "a body needs its Content-Length", "send it in one piece").value();
    }
    return std::nullopt;
  }
};

CallReader::CallReader() : parser_(std::make_unique<Parser>()) {
  // What the parser counts depends on how the head is cut, so the bytes are counted here; its own
  // limit only keeps what comes in one piece within bounds.
  parser_->http.header_limit(static_cast<std::uint32_t>(4 * kMostHead));
  parser_->http.body_limit(kMostBody);
}

CallReader::~CallReader() = default;

std::optional<Problem> CallReader::take(std::string_view bytes) {
  waiting_.append(bytes);
  while (!waiting_.empty() && !is_done()) {
    const bool had_head = parser_->http.is_header_done();
    error_code error;
    const auto used = parser_->http.put(boost::asio::buffer(waiting_), error);
    waiting_.erase(0, used);
    if (error && error != http::error::need_more) return problem_of_parse(error);
    if (!had_head) head_bytes_ += used;
    const bool waits_for_head = !parser_->http.is_header_done();
    if (head_bytes_ + (waits_for_head ? waiting_.size() : 0) > kMostHead) return head_too_long();
    if (!had_head && parser_->http.is_header_done()) {
      if (auto wrong = parser_->problem_of_head()) return wrong;
    } else if (used == 0) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool CallReader::is_done() const {
  return parser_->http.is_done();
}

bool CallReader::wants_go_ahead() {
  if (told_to_go_on_ || is_done() || !parser_->http.is_header_done()) return false;
  const auto expect = parser_->http.get()[http::field::expect];
  told_to_go_on_ = boost::beast::iequals(expect, "100-continue");
  return told_to_go_on_;
}

Call CallReader::call() {
  auto message = parser_->http.release();
  Call call;
  call.method = text_of(message.method_string());
  const auto target = text_of(message.target());
  const auto mark = target.find('?');
  call.path = target.substr(0, mark);
  if (mark != std::string::npos) call.query = target.substr(mark + 1);
  for (const auto& field : message) {
    call.headers.push_back({text_of(field.name_string()), text_of(field.value())});
  }
  call.body = std::move(message.body());
  return call;
}

}  // namespace mishap::server::control
