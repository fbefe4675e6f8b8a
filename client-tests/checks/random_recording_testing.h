#pragma once

#include <array>
#include <random>
#include <string>

#include "mishap/recording.h"

// Recordings that no client would leave behind, from a seed: few names, so that they meet again and
// again, instants out of order, numbers with gaps. What is looked up must find in them what a plain
// walk finds.
namespace mishap::client_tests {

class RandomRecording {
 public:
  explicit RandomRecording(std::uint64_t seed) : chance_(seed) {}

  Recording make(std::size_t exchanges) {
    Recording made;
    made.scenario.copies = 3;
    made.length = std::chrono::milliseconds(400);
    for (std::size_t i = 0; i < exchanges; ++i) add_exchange(made.journal);
    for (std::size_t i = 0; i < exchanges / 3; ++i) made.outcomes.push_back(outcome());
    for (int copy = 0; copy < 2; ++copy) made.processes.push_back(process(copy));
    for (std::uint64_t number = 1; number < 6; ++number) {
      server::Connection& connection = made.journal.connections.emplace_back();
      connection.number = number;
      if (is_so(2)) connection.departed = instant();
      if (is_so(2)) connection.server_ended = instant();
    }
    return made;
  }

 private:
  std::size_t below(std::size_t bound) { return chance_() % bound; }
  bool is_so(std::size_t one_in) { return below(one_in) == 0; }
  Duration instant() { return std::chrono::milliseconds(below(400)); }

  std::string name(const char* kind) {
    return is_so(4) ? std::string() : kind + std::to_string(below(4));
  }
  std::string quoted(const std::string& made) {
    return is_so(4) && !made.empty() ? "\"" + made + "\"" : made;
  }
  std::string key() { return quoted(name("k")); }
  std::string reference() { return quoted(name("R")); }
  std::string resource() {
    static constexpr std::array<const char*, 5> kAll{"/a", "/a/", "//a", "b", "/b/"};
    return kAll[below(kAll.size())];
  }

  void add_exchange(server::Journal& journal) {
    number_ += 1 + (is_so(10) ? 1 : 0);
    server::Exchange& made = journal.exchanges.emplace_back();
    made.number = number_;
    made.lane = static_cast<int>(below(3));
    made.connection = 1 + below(6);
    made.first_byte = instant();
    made.request.complete = !is_so(9);
    made.request.method = is_so(4) ? "GET" : "POST";
    made.request.path = is_so(2) ? "/a" : "/b";
    made.safe = made.idempotent = made.request.method == "GET";
    if (is_so(20)) made.role = server::Role::Unmatched;
    if (is_so(8)) {
      for (std::size_t i = 0; i < 4; ++i) made.items.push_back(item(journal, made));
    } else {
      made.request.key = key();
      made.request.reference = reference();
      made.request.content_hash = name("c");
      made.identity = identity();
      made.effects = effects(journal, made, made.identity.operation);
    }
    if (made.safe) made.looked_up = {1 + below(20)};
    made.found = is_so(2);
    answer(made);
  }

  server::Identity identity() {
    static constexpr std::array<server::IdentifiedBy, 3> kBy{
        server::IdentifiedBy::Content, server::IdentifiedBy::Key, server::IdentifiedBy::Reference};
    server::Identity made;
    made.by = kBy[below(kBy.size())];
    made.operation = below(24) * (is_so(3) ? 2 : 1);
    made.overlapping = is_so(6);
    return made;
  }

  server::BatchItem item(server::Journal& journal, const server::Exchange& batch) {
    server::BatchItem made;
    made.identity = identity();
    made.key = key();
    made.reference = reference();
    made.content_hash = name("c");
    made.status = is_so(2) ? 201 : 503;
    made.healthy = true;
    made.effects = effects(journal, batch, made.identity.operation);
    return made;
  }

  std::vector<std::uint64_t> effects(server::Journal& journal, const server::Exchange& by,
                                     std::uint64_t operation) {
    std::vector<std::uint64_t> numbers;
    while (is_so(2)) {
      server::Effect& made = journal.effects.emplace_back();
      made.number = ++effects_;
      made.at = instant();
      made.lane = by.lane;
      made.exchange = is_so(30) ? 9999 : by.number;
      made.operation = operation;
      made.kind = is_so(5) ? server::EffectKind::Deleted : server::EffectKind::Created;
      made.resource = resource();
      made.id = name("i");
      numbers.push_back(made.number);
    }
    return numbers;
  }

  void answer(server::Exchange& made) {
    static constexpr std::array<StatusCode, 5> kStatuses{200, 201, 429, 503, 422};
    made.answer.status = kStatuses[below(kStatuses.size())];
    made.answer.success = made.answer.status / 100 == 2;
    made.answer.healthy = !is_so(5);
    if (made.answer.status == 429 && is_so(2)) made.answer.headers = {{"Retry-After", "0"}};
    const Duration at = made.first_byte + std::chrono::milliseconds(below(30));
    made.request_read = made.first_byte;
    if (is_so(4)) {
      made.receipt.ending = is_so(2) ? server::Ending::Reset : server::Ending::ClientLeft;
      made.receipt.ended = at;
      if (is_so(2)) made.receipt.departure = server::Departure::Fin;
      if (is_so(2)) made.receipt.departed = at;
      return;
    }
    made.receipt.first_write = made.receipt.last_write = at;
    made.receipt.delivery = server::Delivery::Complete;
    made.receipt.ending = server::Ending::KeptAlive;
  }

  OutcomeLine outcome() {
    static constexpr std::array<OutcomeKind, 3> kKinds{OutcomeKind::Succeeded, OutcomeKind::Failed,
                                                       OutcomeKind::Pending};
    OutcomeLine made;
    made.at = instant();
    made.copy = static_cast<int>(below(3));
    made.operation = is_so(3) ? key() : reference();
    if (is_so(6)) made.operation = "nobody" + std::to_string(below(3));
    made.outcome = kKinds[below(kKinds.size())];
    return made;
  }

  ProcessFacts process(int copy) {
    ProcessFacts made;
    made.copy = copy;
    made.ended = std::chrono::milliseconds(400);
    made.stop = is_so(2) ? Stop::Exited : Stop::Killed;
    if (is_so(2)) made.told_to_end = std::chrono::milliseconds(200 + below(200));
    return made;
  }

  std::mt19937_64 chance_;
  std::uint64_t number_ = 0;
  std::uint64_t effects_ = 0;
};

}  // namespace mishap::client_tests
