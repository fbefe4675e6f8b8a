#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "mishap/journal.h"
#include "mishap/parameters.h"
#include "server/journal/fingerprint.h"

namespace mishap::server {

// An attempt on the wire: an exchange, or an item of the batch that it brings.
struct Sending {
  std::uint64_t exchange = 0;
  std::size_t item = 0;  // from 1; 0: the exchange as a whole
  auto operator<=>(const Sending&) const = default;
};

// What identity is read from (scenario-language.md, "Counting"). What is only compared is kept as
// its fingerprint: that is looked up at once, and a long run has many.
struct Asked {
  Sending sending;
  bool safe = false;
  Fingerprint place;         // method and path: a key or a configured identifier counts within it
  Fingerprint configured;    // by the api's `operation: {from: ...}`; none: not there
  Fingerprint resource;      // whose reference it is
  Fingerprint reference;     // natural reference of a create; none: not there
  Fingerprint key;           // idempotency key; none: not there
  Fingerprint content_hash;  // none: the body was not read
  Fingerprint raw_hash;      // of method, target and body as sent; none: not read
  Fingerprint hop;           // of method, path and body, for redirects; none: safe, or not read
  Duration first_byte{};
  std::uint64_t on_connection = 1;
  // What a later read could find it by.
  Fingerprint collection;            // that it may change; none: it changes nothing
  Fingerprint item;                  // id of the item it is about; none: a create
  std::vector<Fingerprint> members;  // member_fingerprints() of its body
};

// Of each top-level scalar of a body: its name with its value.
std::vector<Fingerprint> member_fingerprints(const std::vector<NameValue>& members);

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
  void redirected(std::uint64_t exchange, const Fingerprint& hop);

  // From this instant the client waits no longer for the answer: it has left, or our FIN or RST is
  // scripted for then (an earlier notice stands). `zero_bytes`: nothing of an answer went out
  // before. Of a batch that holds for each item.
  void let_go(std::uint64_t exchange, Duration at);
  void connection_cut(std::uint64_t exchange, Duration at, bool zero_bytes);

  // The attempt is over; `success`: a complete, unspoiled 2xx reached the client.
  void ended(const Sending& sending, bool success);

  void add_effect(const Sending& sending, EffectKind kind, const std::string& collection,
                  const std::string& id);
  bool has_created(std::uint64_t operation) const;

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
  // Most operations have one attempt and one effect.
  template <typename T>
  using Few = boost::container::small_vector<T, 1>;
  struct Operation {
    std::uint64_t number = 0;
    std::uint64_t attempts = 0;
    bool safe = false;
    bool by_content_only = false;
    bool overlapping = false;
    bool succeeded = false;
    bool failed = false;     // an attempt has ended without success
    bool uncertain = false;  // listed in uncertain_
    bool created = false;    // something
    Fingerprint reference;
    Fingerprint content_hash;
    Fingerprint collection;
    Fingerprint item;
    std::vector<Fingerprint> members;
    Few<Attempt> in_flight;
    Few<Sending> sendings;     // where it is known by its content only
    Few<Fingerprint> effects;  // collection and id

    bool is_in_flight(Duration now) const;
    bool is_open(Duration now) const { return !succeeded && !is_in_flight(now); }
    bool has_loose_end(Duration now) const;
  };
  struct Sent {
    std::size_t operation = 0;
    Fingerprint raw_hash;
    std::uint64_t on_connection = 1;
    bool cut = false;
  };
  struct Found {
    std::size_t operation = 0;
    IdentifiedBy by = IdentifiedBy::Content;
    bool overlaps = false;  // with the operation of equal content before
    bool polls = false;
  };
  using Index = std::unordered_map<Fingerprint, std::size_t, FingerprintHash>;

  Found find_or_make(const Asked& asked, Duration now);
  std::optional<std::size_t> take_hop(const Asked& asked);
  Found by_configured(const Asked& asked);
  Found by_reference(const Asked& asked);
  Found by_key(const Asked& asked, Duration now);
  Found by_content(const Asked& asked, Duration now);
  std::optional<std::size_t> open_with_equal_content(const Asked& asked, Duration now) const;
  std::size_t make(const Asked& asked);
  void learn(std::size_t index, const Asked& asked);
  bool is_transport_resend(const Asked& asked);
  void mark_uncertain(std::size_t index);
  Sent* sent(const Sending& sending);
  // Of the whole or of the items, whichever have joined.
  std::vector<Sending> sendings_of(std::uint64_t exchange) const;
  void let_go_of(const Sending& sending, Duration at);
  void cut(const Sending& sending, Duration at, bool zero_bytes);
  static bool could_be_found(const Operation& operation, const Search& search);
  const Operation& numbered(std::uint64_t number) const;

  std::uint64_t& counter_;
  std::deque<Operation> operations_;  // by ordinal, from 1, and so by number
  Index configured_;
  Index references_;
  Index keys_;                    // newest operation with that key
  Index contents_;                // newest operation with that content
  Index hops_;                    // redirects that nobody has followed yet
  std::map<Sending, Sent> sent_;  // under way
  std::unordered_map<Fingerprint, Duration, FingerprintHash> zero_byte_cuts_;  // raw hash -> when
  std::unordered_map<Fingerprint, std::vector<std::size_t>, FingerprintHash> uncertain_;
};

}  // namespace mishap::server
