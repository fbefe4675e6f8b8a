#include "server/engine/request_facts.h"

#include <array>

#include <fmt/format.h>

#include "server/journal/fingerprint.h"
#include "server/journal/hash.h"
#include "server/journal/secrets.h"
#include "server/resources/key_store.h"
#include "server/resources/sketch.h"

namespace mishap::server {
namespace {

constexpr std::string_view kHeaderWord = "header ";
constexpr std::string_view kBodyWord = "body ";

}  // namespace

RequestFacts head_facts(const RequestHead& head, const Target& target, std::string_view salt) {
  RequestFacts facts;
  facts.method = head.method;
  facts.target = kept_target(head.target, salt);
  facts.path = target.path;
  facts.version = "HTTP/1.";
  facts.version += static_cast<char>('0' + head.minor_version);  // a digit (RFC 9112 section 2.3)
  facts.headers.reserve(head.headers.size());
  for (const NameValue& field : head.headers) {
    facts.headers.push_back(kept_header(field.name, field.value, salt));
  }
  return facts;
}

void add_body_facts(RequestFacts& facts, const RequestView& view, const Content& content,
                    std::string_view body, std::string_view salt) {
  facts.body_bytes = body.size();
  facts.complete = true;
  facts.body_hash = fingerprint(body).text();
  facts.body_kind = body_kind(content);
  facts.members = sketch_members(content);
  facts.content_hash = content_hash_of(view, content, salt);
}

std::string content_hash_of(const RequestView& view, const Content& content,
                            std::string_view salt) {
  // Secrets enter it masked, so that it says no more about them than the journal.
  std::string query;
  for (const NameValue& parameter : view.target.query) {
    const std::string value =
        is_secret_name(parameter.name) ? masked(parameter.value, salt) : parameter.value;
    query += joined_for_hash({parameter.name, value});
  }
  return fingerprint_of({view.method, view.target.path, query, bytes_of(content.meaning)}).text();
}

RequestFacts rejected_facts(const Rejection& rejection, std::string_view salt) {
  RequestFacts facts;
  facts.raw = kept_raw(rejection.raw, salt);
  const std::string_view line =
      std::string_view(rejection.raw).substr(0, rejection.raw.find_first_of("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || !line.substr(second + 1).starts_with("HTTP/")) {
    return facts;
  }
  const std::string_view target = line.substr(first + 1, second - first - 1);
  facts.method = std::string(line.substr(0, first));
  facts.target = kept_target(target, salt);
  facts.path = parse_target(target).path;
  facts.version = std::string(line.substr(second + 1));
  return facts;
}

std::string key_of(const RequestView& view, std::string_view policy_header) {
  for (const std::string_view name : {policy_header, std::string_view("Idempotency-Key"),
                                      std::string_view("X-Idempotency-Key")}) {
    const std::string* value = name.empty() ? nullptr : view.header(name);
    if (value != nullptr && !value->empty()) return idempotency_key(*value);
  }
  return {};
}

std::string kept_key(std::string_view key) {
  constexpr std::size_t kMost = 255;
  constexpr std::size_t kStart = 180;
  if (key.size() <= kMost) return std::string(key);
  return fmt::format("{}~sha256:{}", key.substr(0, kStart), sha256_hex(key));
}

bool is_in_header(std::string_view operation_from) {
  return operation_from.starts_with(kHeaderWord);
}

std::string configured_identifier(const RequestView& view, std::string_view operation_from) {
  if (is_in_header(operation_from)) {
    const std::string* value = view.header(operation_from.substr(kHeaderWord.size()));
    return value == nullptr ? std::string() : *value;
  }
  if (!operation_from.starts_with(kBodyWord) || !view.body) return {};
  const std::string* value = view.body->member(operation_from.substr(kBodyWord.size()));
  return value == nullptr ? std::string() : *value;
}

}  // namespace mishap::server
