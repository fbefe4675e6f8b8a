#include "client-tests/launch/output_capture.h"

#include <algorithm>

#include "client-tests/launch/secrets.h"

namespace mishap::client_tests {
namespace {

// The part of `text` (which starts at `offset` of the stream) that lies in `part`, masked. Counts
// the secrets that begin in it; one that began before it is shown by the part before.
std::string masked_part(std::string_view text, std::uint64_t offset, Span part,
                        const std::vector<Span>& secrets, std::uint64_t& masked) {
  std::string shown;
  std::uint64_t at = part.begin;
  for (const auto& secret : secrets) {
    if (secret.end <= at || secret.begin >= part.end) continue;
    if (secret.begin > at) shown.append(text.substr(at - offset, secret.begin - at));
    shown.append(kMask);
    if (secret.begin >= part.begin) ++masked;
    at = secret.end;
  }
  if (at < part.end) shown.append(text.substr(at - offset, part.end - at));
  return shown;
}

std::vector<Span> moved(std::vector<Span> spans, std::uint64_t by) {
  for (auto& span : spans) {
    span.begin += by;
    span.end += by;
  }
  return spans;
}

}  // namespace

OutputCapture::OutputCapture(const std::string& canary, const std::vector<std::string>& secrets,
                             const std::vector<NameValue>& sensitive)
    : canary_(canary, SecretForms::Match::Parts),
      mask_(secrets, canary, sensitive),
      margin_(mask_.reach()) {
  for (const auto& [name, text] : sensitive) {
    sensitive_.push_back({name, SecretWatch(text, SecretForms::Match::Whole)});
  }
}

void OutputCapture::take(std::string_view chunk) {
  if (chunk.empty()) return;
  bytes_ += chunk.size();
  newlines_ += static_cast<std::uint64_t>(std::count(chunk.begin(), chunk.end(), '\n'));
  last_ = chunk.back();
  canary_.take(chunk);
  for (auto& one : sensitive_) one.watch.take(chunk);
  keep(chunk);
}

void OutputCapture::keep(std::string_view chunk) {
  const std::size_t limit = kKept + margin_;
  head_.append(chunk.substr(0, limit - std::min(limit, head_.size())));
  if (chunk.size() > limit) {
    chunk.remove_prefix(chunk.size() - limit);
    tail_.clear();
  }
  tail_.append(chunk);
  // Cut only now and then: moving 32 KiB for every line would be dear.
  if (tail_.size() > 2 * limit) tail_.erase(0, tail_.size() - limit);
}

Captured OutputCapture::result(int copy, std::string stream) const {
  Captured captured;
  captured.copy = copy;
  captured.stream = std::move(stream);
  captured.bytes = bytes_;
  captured.lines = newlines_ + (last_ == '\n' ? 0 : 1);
  captured.canary_hits = canary_.hits();
  captured.canary_forms.assign(canary_.seen().begin(), canary_.seen().end());
  for (const auto& one : sensitive_) {
    if (one.watch.hits() > 0) captured.sensitive_hits.push_back(one.name);
  }
  const Span head{0, std::min<std::uint64_t>(bytes_, kKept)};
  captured.head = masked_part(head_, 0, head, mask_.find(head_), captured.masked);
  const std::uint64_t kept_from = bytes_ - tail_.size();
  const Span tail{
      std::max<std::uint64_t>(head.end, bytes_ - std::min<std::uint64_t>(bytes_, kKept)), bytes_};
  captured.tail =
      masked_part(tail_, kept_from, tail, moved(mask_.find(tail_), kept_from), captured.masked);
  return captured;
}

}  // namespace mishap::client_tests
