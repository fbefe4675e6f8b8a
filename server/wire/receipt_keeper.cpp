#include "server/wire/receipt_keeper.h"

#include <algorithm>
#include <utility>

#include "server/journal/fingerprint.h"

namespace mishap::server {

// Of the first writes and of the last.
constexpr std::ptrdiff_t kWritesKept = 16;

ReceiptKeeper::ReceiptKeeper(bool head_only) : head_only_(head_only) {}

ReceiptKeeper::~ReceiptKeeper() = default;

namespace {

// Behind the last chunk there may be fields (RFC 9112 section 7.1.2).
bool has_trailers(std::string_view body) {
  return body.ends_with("\r\n\r\n") &&
         (body.starts_with("0\r\n") || body.find("\r\n0\r\n") != std::string_view::npos);
}

}  // namespace

void ReceiptKeeper::plan(Part part, std::string_view bytes) {
  if (part == Part::Interim) return;
  receipt_.bytes_planned += bytes.size();
  if (part == Part::Body) {
    has_body_plan_ = true;
    ends_in_trailers_ = has_trailers(bytes);
  }
  // A head after a body is a second answer, which nobody asked for.
  if (part != Part::Head || has_body_plan_) return;
  receipt_.head_planned += bytes.size();
  head_text_ += bytes;
  head_ = read_answer_head(head_text_);
}

void ReceiptKeeper::plan_many(Part part, std::string_view unit, std::uint64_t times) {
  if (part == Part::Interim || unit.empty()) return;
  const std::uint64_t room = kEndless - receipt_.bytes_planned;
  receipt_.bytes_planned += times > room / unit.size() ? room : unit.size() * times;
  has_body_plan_ = true;
}

void ReceiptKeeper::note_write(std::uint64_t bytes, Duration at) {
  std::vector<Write>& writes = receipt_.writes;
  if (writes.size() == 2 * kWritesKept) {
    writes.erase(writes.begin() + kWritesKept);
    ++receipt_.more_writes;
  }
  writes.push_back({at, receipt_.bytes_written, bytes});
}

void ReceiptKeeper::wrote(std::string_view bytes, Duration at) {
  if (bytes.empty()) return;
  note_write(bytes.size(), at);
  if (!receipt_.first_write) receipt_.first_write = at;
  receipt_.last_write = at;
  if (!print_) print_ = std::make_unique<RunningFingerprint>();
  print_->add(bytes);
  const std::uint64_t head_left =
      receipt_.head_planned - std::min(receipt_.head_planned, receipt_.bytes_written);
  receipt_.bytes_written += bytes.size();
  bytes.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(head_left, bytes.size())));
  constexpr std::size_t kLastChunk = 5;  // "0 CRLF CRLF"
  last_bytes_ += bytes.substr(bytes.size() - std::min(bytes.size(), kLastChunk));
  last_bytes_.erase(0, last_bytes_.size() - std::min(last_bytes_.size(), kLastChunk));
}

void ReceiptKeeper::late(Duration by) {
  receipt_.lag = std::max(receipt_.lag, by);
}

void ReceiptKeeper::end(Ending ending, std::optional<Duration> at) {
  if (has_ended_) return;
  has_ended_ = true;
  receipt_.ending = ending;
  receipt_.ended = at;
}

void ReceiptKeeper::left(Departure departure, std::optional<Duration> at) {
  receipt_.departure = departure;
  receipt_.departed = at;
}

// RFC 9112 section 6.3.
bool ReceiptKeeper::has_no_body() const {
  return head_only_ || head_.status / 100 == 1 || head_.status == 204 || head_.status == 304;
}

bool ReceiptKeeper::ends_with_connection() const {
  return head_.whole && !has_no_body() && !head_.chunked && !head_.content_length;
}

Delivery ReceiptKeeper::delivery() const {
  if (receipt_.bytes_written == 0) return Delivery::Nothing;
  if (receipt_.bytes_written < receipt_.head_planned || !head_.whole) return Delivery::PartOfHead;
  if (has_no_body()) return Delivery::Complete;
  const std::uint64_t body = receipt_.bytes_written - receipt_.head_planned;
  bool whole = false;
  if (head_.chunked) {
    const bool all = receipt_.bytes_written == receipt_.bytes_planned;
    whole = last_bytes_ == "0\r\n\r\n" || (all && ends_in_trailers_);
  } else if (head_.content_length) {
    whole = body >= *head_.content_length;
  } else {
    whole = receipt_.bytes_written == receipt_.bytes_planned;  // until the connection ends
  }
  return whole ? Delivery::Complete : Delivery::PartOfBody;
}

bool ReceiptKeeper::is_complete() const {
  return delivery() == Delivery::Complete;
}

void ReceiptKeeper::complete(Receipt& receipt) const {
  receipt.delivery = delivery();
  if (print_) receipt.bytes_hash = print_->so_far().text();
}

Receipt ReceiptKeeper::receipt() const& {
  Receipt receipt = receipt_;
  complete(receipt);
  return receipt;
}

Receipt ReceiptKeeper::receipt() && {
  complete(receipt_);
  return std::move(receipt_);
}

}  // namespace mishap::server
