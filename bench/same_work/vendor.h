#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/same_work/record.h"
#include "bench/same_work/request.h"

namespace same_work {

// Whatever is asked at this method and path is answered with that status.
struct Rule {
  std::string method;
  std::string path;  // "/v1/orders/:id", "/v1/files/*"
  int status = 503;
};

// Looked up by method and path where a rule has no pattern, one after the other where it has.
class Rules {
 public:
  explicit Rules(std::vector<Rule> rules);
  const Rule* find(std::string_view method, std::string_view path, RuleHit& hit);

 private:
  std::vector<Rule> rules_;
  std::vector<std::uint64_t> met_;
  std::unordered_map<std::string, std::size_t> exact_;
  std::vector<std::size_t> patterns_;
};

// Which operation a request belongs to: by its key within method and path, else by its content
// while no equal request was answered with success.
class Operations {
 public:
  struct Asked {
    bool safe = false;
    Print key;  // with method and path; none: not there
    Print content;
    std::vector<std::uint64_t> members;
  };

  Identity join(Asked asked, std::string_view* role);
  void ended(std::uint64_t operation, bool success);
  void add_effect(std::uint64_t operation, const Print& item);
  // Unsafe ones that were not answered with success and may have made this item, or one with these
  // members.
  std::vector<std::uint64_t> could_find(const Print& item,
                                        const std::vector<std::uint64_t>& members) const;

 private:
  struct Operation {
    std::uint64_t attempts = 0;
    std::uint32_t in_flight = 0;
    bool safe = false;
    bool succeeded = false;
    std::vector<std::uint64_t> members;
    std::vector<Print> effects;
  };
  std::uint64_t make(Asked asked);
  Identity next_attempt(std::uint64_t number, std::string_view by);

  std::vector<Operation> all_;  // by number, from 1
  std::unordered_map<Print, std::uint64_t, PrintHash> by_key_;
  std::unordered_map<Print, std::uint64_t, PrintHash> by_content_;
  std::unordered_map<std::uint64_t, bool> unsettled_;  // unsafe, and an attempt without success
};

// Collections, idempotency keys and the ledger: POST creates under any path, GET lists and reads.
class Vendor {
 public:
  Vendor(Rules rules, Log& log, std::string salt)
      : rules_(std::move(rules)), log_(log), salt_(std::move(salt)) {}

  // All that is decided about a request: its facts, its identity and its answer. `now` is the
  // instant of what takes effect.
  void handle(const Head& head, std::string_view body, Span now, Exchange& exchange);
  // It was answered, or not.
  void ended(const Exchange& exchange);

 private:
  struct Item {
    std::string json;
    std::string reference;
  };
  struct Collection {
    std::unordered_map<std::string, Item> items;
    std::unordered_map<std::string, std::string> by_reference;
    std::vector<std::string> order;
    std::uint64_t last_id = 0;
  };
  struct Keyed {
    Print content;
    std::uint64_t exchange = 0;
    std::optional<Answer> answer;  // nothing: reserved
  };

  void learn(const Head& head, std::string_view body, Exchange& exchange);
  void join(Exchange& exchange);
  void act(Span now, Exchange& exchange);
  bool is_replayed(Exchange& exchange);
  void create(Span now, Exchange& exchange);
  void read(Exchange& exchange);
  void list(const Collection& collection, Exchange& exchange);
  void keep_key(const Exchange& exchange);
  static Print scoped_key(const Request& request);

  Rules rules_;
  Log& log_;
  std::string salt_;
  ContentReader reader_;
  Content content_;  // of the request that is handled
  Operations operations_;
  std::unordered_map<std::string, Collection> collections_;
  std::unordered_map<Print, Keyed, PrintHash> keys_;
  std::uint64_t last_effect_ = 0;
};

// The whole answer as it goes over the wire.
std::string bytes_of(const Answer& answer, bool keeps_alive, std::size_t* head_size);

}  // namespace same_work
