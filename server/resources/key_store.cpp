#include "server/resources/key_store.h"

#include <cassert>

namespace mishap::server {

KeyStore::Claim KeyStore::claim(const Scoped& key, const std::string& content_hash,
                                std::uint64_t exchange, Duration now, Duration lifetime) {
  const auto found = entries_.find(key);
  // A request under way keeps its key, however short the lifetime is.
  const bool forgotten =
      found != entries_.end() && found->second.answer && now >= found->second.expires;
  if (found == entries_.end() || forgotten) {
    entries_[key] = {content_hash, exchange, now + lifetime, std::nullopt};
    return Claim::Granted;
  }
  const Entry& entry = found->second;
  if (entry.exchange == exchange && !entry.answer) return Claim::Granted;
  if (entry.content_hash != content_hash) return Claim::OtherContent;
  return entry.answer ? Claim::Done : Claim::InProgress;
}

const SendAnswer& KeyStore::answer(const Scoped& key) const {
  const auto found = entries_.find(key);
  assert(found != entries_.end() && found->second.answer && "only a Done key has an answer");
  return *found->second.answer;
}

void KeyStore::finish(const Scoped& key, std::uint64_t exchange, SendAnswer answer) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.exchange != exchange) return;
  found->second.answer = std::move(answer);
}

void KeyStore::release(const Scoped& key, std::uint64_t exchange) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.exchange != exchange) return;
  if (!found->second.answer) entries_.erase(found);
}

std::string idempotency_key(std::string_view header_value) {
  if (header_value.size() < 2 || header_value.front() != '"' || header_value.back() != '"') {
    return std::string(header_value);
  }
  const std::string_view inside = header_value.substr(1, header_value.size() - 2);
  std::string key;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '"') return std::string(header_value);  // no structured-field string
    if (inside[i] == '\\' && ++i == inside.size()) return std::string(header_value);
    key += inside[i];
  }
  return key;
}

}  // namespace mishap::server
