#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mishap/journal.h"
#include "mishap/parameters.h"

namespace mishap::server {

// An attempt on the wire: an exchange, or an item of the batch that it brings.
struct Sending {
  std::uint64_t exchange = 0;
  std::size_t item = 0;  // from 1; 0: the exchange as a whole
  auto operator<=>(const Sending&) const = default;
};

// What identity is read from (scenario-language.md, "Counting").
struct Asked {
  Sending sending;
  bool safe = false;
  std::string place;         // method and path: a key or a configured identifier counts within it
  std::string configured;    // by the api's `operation: {from: ...}`; empty: none
  std::string resource;      // whose reference it is
  std::string reference;     // natural reference of a create; empty: none
  std::string key;           // idempotency key; empty: none
  std::string content_hash;  // empty: the body was not read
  std::string raw_hash;      // of method, target and body as sent; empty: not read
  std::string hop;           // of method, path and body, for redirects; empty: safe, or not read
  Duration first_byte{};
  std::uint64_t on_connection = 1;
  // What a later read could find it by.
  std::string collection;          // that it may change; empty: none
  std::string item;                // id of the item it is about; empty: a create
  std::vector<NameValue> members;  // top-level scalars of its body
};

// A read, as a search for what an operation may have made.
struct Search {
  std::string collection;
  std::string item;                // empty: the list
  std::vector<NameValue> filters;  // of a list
};

struct Joined {
  Identity identity;
  Role role = Role::Attempt;
  // An operation of equal content in flight: its attempts so far overlap as well.
  std::vector<Sending> also_overlapping;
};

// Which operation each request of one lane belongs to. Strongest identifier first; weaker ones
// never join where a stronger one is present. Instants are run time. Not thread-safe.
class OperationTable {
 public:
  // `counter` numbers operations over the run; borrowed.
  explicit OperationTable(std::uint64_t& counter) : counter_(counter) {}

  Joined join(const Asked& asked, Duration now);

  // The body of an exchange that was joined by its head is read now.
  void complete(const Asked& asked);

  // The exchange is answered with a redirect: the request that this means is sent on, once.
  void redirected(std::uint64_t exchange, const std::string& hop);

  // From this instant the client waits no longer for the answer: it has left, or our FIN or RST is
  // scripted for then (an earlier notice stands). `zero_bytes`: nothing of an answer went out
  // before. Of a batch that holds for each item.
  void let_go(std::uint64_t exchange, Duration at);
  void connection_cut(std::uint64_t exchange, Duration at, bool zero_bytes);

  // The attempt is over; `success`: a complete, unspoiled 2xx reached the client.
  void ended(const Sending& sending, bool success);

  void add_effect(const Sending& sending, const std::string& collection, const std::string& id);

  // Unsafe operations that a read could have found and that have an attempt without success.
  std::vector<std::uint64_t> could_find(const Search& search, Duration now) const;
  // Whether an effect of these operations is among the ids that an answer shows.
  bool shows_effect_of(const std::vector<std::uint64_t>& operations, const std::string& collection,
                       const std::vector<std::string>& ids) const;

 private:
  struct Attempt {
    Sending sending;
    std::optional<Duration> let_go;
  };
  struct Operation {
    std::uint64_t number = 0;
    std::uint64_t ordinal = 0;
    std::uint64_t attempts = 0;
    bool safe = false;
    bool by_content_only = false;
    bool overlapping = false;
    bool succeeded = false;
    bool failed = false;     // an attempt has ended without success
    bool uncertain = false;  // listed in uncertain_
    std::string place;
    std::string reference;
    std::string content_hash;
    std::string collection;
    std::string item;
    std::vector<NameValue> members;
    std::vector<Attempt> in_flight;
    std::vector<Sending> sendings;
    std::vector<std::pair<std::string, std::string>> effects;  // collection, id

    bool is_in_flight(Duration now) const;
    bool is_open(Duration now) const { return !succeeded && !is_in_flight(now); }
    bool has_loose_end(Duration now) const;
  };
  struct Sent {
    std::size_t operation = 0;
    std::string raw_hash;
    std::uint64_t on_connection = 1;
    bool cut = false;
  };
  struct Found {
    std::size_t operation = 0;
    IdentifiedBy by = IdentifiedBy::Content;
    bool overlaps = false;  // with the operation of equal content before
    bool polls = false;
  };
  using Index = std::map<std::string, std::size_t>;

  Found find_or_make(const Asked& asked, Duration now);
  std::optional<std::size_t> take_hop(const Asked& asked);
  Found by_configured(const Asked& asked);
  Found by_reference(const Asked& asked);
  Found by_key(const Asked& asked, Duration now);
  Found by_content(const Asked& asked, Duration now);
  std::optional<std::size_t> open_with_equal_content(const Asked& asked, Duration now) const;
  std::size_t make(const Asked& asked);
  void learn(Operation& operation, const Asked& asked);
  bool is_transport_resend(const Asked& asked);
  void mark_uncertain(std::size_t index);
  Sent* sent(const Sending& sending);
  // Of the whole or of the items, whichever have joined.
  std::vector<Sending> sendings_of(std::uint64_t exchange) const;
  void let_go_of(const Sending& sending, Duration at);
  void cut(const Sending& sending, Duration at, bool zero_bytes);
  static bool could_be_found(const Operation& operation, const Search& search);

  std::uint64_t& counter_;
  std::vector<Operation> operations_;  // by ordinal
  Index configured_;
  Index references_;
  Index keys_;      // newest operation with that key
  Index contents_;  // newest operation with that content
  Index hops_;      // redirects that nobody has followed yet
  std::map<std::uint64_t, std::size_t> by_number_;
  std::map<Sending, Sent> sent_;                               // under way
  std::map<std::string, Duration> zero_byte_cuts_;             // raw hash -> when
  std::map<std::string, std::vector<std::size_t>> uncertain_;  // by collection
};

}  // namespace mishap::server
