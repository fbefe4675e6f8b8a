// Sends so many requests over kept connections, each connection its next one when it has been
// answered, and prints one JSON object: how long that took, and how long the slowest answer.
//
// "{n}" in target and body is the number of the request, from FIRST on; "{pad}" in the body is so
// many bytes PAD. Answers are read by their Content-Length.
//
// Usage: mishap-bench-send PORT CONNECTIONS FIRST COUNT PAD METHOD TARGET [BODY]
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/load.h"

namespace {

using namespace mishap::bench;
using std::chrono::milliseconds;

constexpr auto kSilence = std::chrono::seconds(60);  // nothing comes for so long: it is over

struct Plan {
  std::uint16_t port = 0;
  std::size_t connections = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::string method;
  std::string target;
  std::string body;
};

void replace(std::string& text, std::string_view word, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
}

// An answer as it comes, as far as its end has to be known.
class Answer {
 public:
  // Whether it is whole now.
  bool take(std::string_view bytes) {
    if (head_.empty() || left_ == kUnknown) {
      head_.append(bytes);
      const auto end = head_.find("\r\n\r\n");
      if (end == std::string::npos) return false;
      left_ = length() - std::min<std::uint64_t>(length(), head_.size() - end - 4);
    } else {
      left_ -= std::min<std::uint64_t>(left_, bytes.size());
    }
    return left_ == 0;
  }
  bool is_success() const { return head_.starts_with("HTTP/1.1 2"); }
  void clear() { *this = {}; }

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  std::uint64_t length() const {
    constexpr std::string_view kField = "\r\nContent-Length: ";
    const auto at = head_.find(kField);
    std::uint64_t value = 0;
    if (at == std::string::npos) return 0;
    std::from_chars(head_.data() + at + kField.size(), head_.data() + head_.size(), value);
    return value;
  }

  std::string head_;  // and what came with it
  std::uint64_t left_ = kUnknown;
};

class Sending {
 public:
  explicit Sending(Plan plan) : plan_(std::move(plan)), crowd_(plan_.port) {}

  bool run() {
    if (!crowd_.open(plan_.connections)) return false;
    answers_.resize(plan_.connections);
    asked_.resize(plan_.connections);
    const Instant began = Clock::now();
    last_ = began;
    for (std::size_t i = 0; i < plan_.connections; ++i) ask(i);
    while (done_ < plan_.count && !broken_ && Clock::now() - last_ < kSilence) {
      crowd_.take(milliseconds(100), [this](std::size_t number, std::string_view bytes,
                                            Instant now) { take(number, bytes, now); });
    }
    seconds_ = ms_between(began, last_) / 1000;
    return done_ == plan_.count;
  }

  void print() const {
    fmt::print(
        "{{\"requests\": {}, \"refused\": {}, \"seconds\": {:.6f}, \"slowest_ms\": {:.3f}}}\n",
        done_, refused_, seconds_, slowest_ms_);
  }

 private:
  void ask(std::size_t number) {
    if (asked_count_ == plan_.count) return;
    const auto n = std::to_string(plan_.first + asked_count_++);
    auto target = plan_.target;
    auto body = plan_.body;
    replace(target, "{n}", n);
    if (body.size() < kLongest) replace(body, "{n}", n);
    asked_[number] = Clock::now();
    broken_ = !crowd_.send(number, request_text(plan_.method, target, body));
  }

  void take(std::size_t number, std::string_view bytes, Instant now) {
    last_ = now;
    broken_ = broken_ || bytes.empty();
    Answer& answer = answers_[number];
    if (broken_ || !answer.take(bytes)) return;
    ++done_;
    refused_ += answer.is_success() ? 0 : 1;
    slowest_ms_ = std::max(slowest_ms_, ms_between(asked_[number], now));
    answer.clear();
    ask(number);
  }

  // In a longer body nothing is looked for: that would take longer than to answer it.
  static constexpr std::size_t kLongest = 4096;

  Plan plan_;
  Crowd crowd_;
  std::vector<Answer> answers_;
  std::vector<Instant> asked_;
  Instant last_{};
  std::uint64_t asked_count_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t refused_ = 0;
  double seconds_ = 0;
  double slowest_ms_ = 0;
  bool broken_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8) {
    std::fputs("usage: mishap-bench-send PORT CONNECTIONS FIRST COUNT PAD METHOD TARGET [BODY]\n",
               stderr);
    return 2;
  }
  allow_descriptors();
  Plan plan;
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  plan.connections = static_cast<std::size_t>(std::atol(argv[2]));
  plan.first = std::strtoull(argv[3], nullptr, 10);
  plan.count = std::strtoull(argv[4], nullptr, 10);
  const std::string pad(std::strtoull(argv[5], nullptr, 10), 'x');
  plan.method = argv[6];
  plan.target = argv[7];
  plan.body = argc > 8 ? argv[8] : "";
  replace(plan.body, "{pad}", pad);
  Sending sending(std::move(plan));
  const bool whole = sending.run();
  sending.print();
  return whole ? 0 : 1;
}
