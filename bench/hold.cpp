// Opens many connections, asks once on each, and measures what comes of it. Prints one JSON object.
//
//   delays   each answer is due DELAY_MS after its request: how late is it? Arrivals are spread
//   over
//            SPREAD_MS.
//   barrier  all are held until the last has asked: how long until the last is answered?
//   trickle  each answer comes a few bytes at a time, for longer than anybody waits: prints when
//   all
//            have begun, and reads on until stdin ends.
//
// Usage: mishap-bench-hold WHAT PORT CONNECTIONS DELAY_MS SPREAD_MS METHOD TARGET [BODY]
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/load.h"

namespace {

using namespace mishap::bench;
using std::chrono::milliseconds;

constexpr auto kPatience = std::chrono::seconds(60);

struct Plan {
  std::uint16_t port = 0;
  std::size_t connections = 0;
  milliseconds delay{};
  milliseconds spread{};
  std::string request;
};

// Asks on each connection once, and remembers when it asked and when the first byte came.
class Asking {
 public:
  explicit Asking(const Plan& plan) : plan_(plan), crowd_(plan.port) {}

  bool open() {
    asked_.resize(plan_.connections);
    answered_.resize(plan_.connections);
    return crowd_.open(plan_.connections);
  }

  // Until every connection has been answered or none will be.
  void until_all_answered() {
    began_ = Clock::now();
    const Instant last = began_ + plan_.spread + plan_.delay + kPatience;
    while (count_ < plan_.connections && Clock::now() < last) {
      ask_those_that_are_due();
      take(next_ < plan_.connections ? milliseconds(0) : milliseconds(10));
    }
  }

  void take(milliseconds patience) {
    crowd_.take(patience, [this](std::size_t number, std::string_view bytes, Instant now) {
      if (bytes.empty() || answered_[number] != Instant{} || asked_[number] == Instant{}) return;
      answered_[number] = now;
      ++count_;
    });
  }

  std::size_t count() const { return count_; }
  const std::vector<Instant>& asked() const { return asked_; }
  const std::vector<Instant>& answered() const { return answered_; }

 private:
  void ask_those_that_are_due() {
    while (next_ < plan_.connections && Clock::now() >= due(next_)) {
      asked_[next_] = Clock::now();
      if (!crowd_.send(next_, plan_.request)) std::perror("send");
      ++next_;
    }
  }

  Instant due(std::size_t number) const {
    const auto share = static_cast<double>(number) / static_cast<double>(plan_.connections);
    return began_ + std::chrono::duration_cast<Clock::duration>(plan_.spread * share);
  }

  const Plan& plan_;
  Crowd crowd_;
  Instant began_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::vector<Instant> asked_;
  std::vector<Instant> answered_;
};

void print_delays(const Asking& asking, const Plan& plan) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    if (asking.answered()[i] == Instant{}) continue;
    errors.push_back(ms_between(asking.asked()[i] + plan.delay, asking.answered()[i]));
  }
  const auto early = std::ranges::count_if(errors, [](double error) { return error < 0; });
  fmt::print(
      "{{\"connections\": {}, \"answered\": {}, \"early\": {}, \"error_ms\": {{\"p50\": {:.3f}, "
      "\"p99\": {:.3f}, \"max\": {:.3f}}}}}\n",
      plan.connections, asking.count(), early, share_of(errors, 0.5), share_of(errors, 0.99),
      share_of(errors, 1.0));
}

// What was answered before the last had asked was not held.
void print_barrier(const Asking& asking, const Plan& plan) {
  const Instant last_asked = *std::ranges::max_element(asking.asked());
  std::vector<double> behind;
  for (const Instant answered : asking.answered()) {
    if (answered != Instant{}) behind.push_back(ms_between(last_asked, answered));
  }
  const auto early = std::ranges::count_if(behind, [](double ms) { return ms < 0; });
  fmt::print(
      "{{\"connections\": {}, \"answered\": {}, \"early\": {}, \"released_ms\": {{\"first\": "
      "{:.3f}, \"p50\": {:.3f}, \"last\": {:.3f}}}}}\n",
      plan.connections, asking.count(), early, share_of(behind, 0), share_of(behind, 0.5),
      share_of(behind, 1.0));
}

bool stdin_has_ended() {
  pollfd event{STDIN_FILENO, POLLIN, 0};
  return ::poll(&event, 1, 0) != 0;
}

void trickle(Asking& asking, const Plan& plan) {
  fmt::print("{{\"connections\": {}, \"answered\": {}}}\n", plan.connections, asking.count());
  std::fflush(stdout);
  while (!stdin_has_ended()) asking.take(milliseconds(50));
}

int run(const std::string& what, const Plan& plan) {
  Asking asking(plan);
  if (!asking.open()) return 1;
  asking.until_all_answered();
  if (what == "delays") print_delays(asking, plan);
  if (what == "barrier") print_barrier(asking, plan);
  if (what == "trickle") trickle(asking, plan);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool known =
      words.size() > 7 && (words[1] == "delays" || words[1] == "barrier" || words[1] == "trickle");
  if (!known) {
    std::fputs(
        "usage: mishap-bench-hold delays|barrier|trickle PORT CONNECTIONS DELAY_MS SPREAD_MS "
        "METHOD TARGET [BODY]\n",
        stderr);
    return 2;
  }
  allow_descriptors();
  Plan plan;
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  plan.connections = static_cast<std::size_t>(std::atol(argv[3]));
  plan.delay = milliseconds(std::atol(argv[4]));
  plan.spread = milliseconds(std::atol(argv[5]));
  plan.request = request_text(words[6], words[7], words.size() > 8 ? words[8] : std::string());
  return run(words[1], plan);
}
