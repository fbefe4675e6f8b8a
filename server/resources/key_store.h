#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "mishap/scenario.h"
#include "server/plan/step.h"

namespace mishap::server {

// What a vendor remembers of idempotency keys (draft-ietf-httpapi-idempotency-key-header): a key is
// reserved while its request runs, then stands for the answer of that request. Instants are run
// time. A key lives within a scope, the path of its resource.
class KeyStore {
 public:
  using Scoped = std::pair<std::string, std::string>;  // scope, key

  enum class Claim {
    Granted,       // reserved for this exchange: execute
    InProgress,    // another exchange holds it: 409
    OtherContent,  // known with other content: 422
    Done,          // answered before: replay
  };

  // An exchange that holds the key already is granted it again.
  Claim claim(const Scoped& key, const std::string& content_hash, std::uint64_t exchange,
              Duration now, Duration lifetime);

  // Of a Done key.
  const SendAnswer& answer(const Scoped& key) const;

  // Ends a reservation of this exchange: the answer is stored, or the key is free again.
  void finish(const Scoped& key, std::uint64_t exchange, SendAnswer answer);
  void release(const Scoped& key, std::uint64_t exchange);

 private:
  struct Entry {
    std::string content_hash;
    std::uint64_t exchange = 0;
    Duration expires{};
    std::optional<SendAnswer> answer;  // absent: in progress
  };
  std::map<Scoped, Entry> entries_;
};

// The key within a header's value: the quotes of a structured-field string (RFC 8941 section 3.3.3)
// are stripped, anything else is the key as it stands.
std::string idempotency_key(std::string_view header_value);

}  // namespace mishap::server
