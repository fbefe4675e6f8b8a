#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/tally.h"

// Keys cannot be guessed.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kKeys = 10;
constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 255;
constexpr double kBits = 64;
constexpr std::size_t kTelling = 6;  // a reference of fewer characters is in a key by chance

struct Key {
  std::string text;
  const Operation* operation = nullptr;
};

std::vector<Key> distinct_keys(const History& history) {
  std::vector<Key> keys;
  std::set<std::string> seen;
  for (const Operation* operation : keyable_operations(history)) {
    for (const std::string& key : operation->keys) {
      if (seen.insert(key).second) keys.push_back({key, operation});
    }
  }
  return keys;
}

std::size_t common_begin(const std::vector<std::string>& keys) {
  std::size_t length = keys.front().size();
  for (const std::string& key : keys) {
    const auto differ = std::ranges::mismatch(keys.front(), key);
    length = std::min(length, static_cast<std::size_t>(differ.in1 - keys.front().begin()));
  }
  return length;
}

// What differs from key to key; a prefix or a host's number tells nobody anything.
std::vector<std::string> variable_parts(const std::vector<Key>& keys) {
  std::vector<std::string> parts;
  for (const Key& key : keys) parts.push_back(key.text);
  for (int side = 0; side < 2; ++side) {
    const std::size_t common = common_begin(parts);
    for (std::string& part : parts) {
      part.erase(0, common);
      std::ranges::reverse(part);
    }
  }
  return parts;
}

// At most so much: characters times the bits of the alphabet that the keys show.
double apparent_bits(const std::vector<std::string>& parts) {
  std::set<char> alphabet;
  std::size_t shortest = parts.front().size();
  for (const std::string& part : parts) {
    std::size_t letters = 0;
    for (const char c : part) {
      if (c == '-' || c == '_') continue;
      alphabet.insert(c);
      ++letters;
    }
    shortest = std::min(shortest, letters);
  }
  return static_cast<double>(shortest) *
         std::log2(static_cast<double>(std::max<std::size_t>(1, alphabet.size())));
}

std::string reason_against(const Key& key) {
  if (key.text.size() < kShortest || key.text.size() > kLongest) {
    return fmt::format("{} characters, not {} to {}", key.text.size(), kShortest, kLongest);
  }
  const std::string& reference = key.operation->reference;
  if (reference.size() >= kTelling && key.text.find(reference) != std::string::npos) {
    return "it holds the reference, which others know";
  }
  return {};
}

Finding judge(const std::vector<Key>& keys) {
  Tally tally;
  for (const Key& key : keys) {
    const std::string against = reason_against(key);
    if (against.empty()) continue;
    tally.broke(
        witness(*key.operation, {&key.operation->attempts.front()},
                fmt::format("{}: key {}: {}", key.operation->name, shown_key(key.text), against)));
  }
  const double bits = apparent_bits(variable_parts(keys));
  const Witness cited =
      said(fmt::format("what differs in {} keys has {:.0f} bits at most {} {:.0f}", keys.size(),
                       bits, bits >= kBits ? ">=" : "<", kBits));
  bits >= kBits ? tally.held(cited) : tally.broke(cited);
  return tally.settle(
      {.failed = "keys can be guessed",
       .reason = "Idempotency keys follow from what others know, or from one another.",
       .held = fmt::format("{} keys of {:.0f} bits", keys.size(), bits)});
}

Finding evaluate(const Case& c, const Params& params) {
  if (params.boolean("natural")) return not_applicable("keys are natural ones by design");
  const auto keys = distinct_keys(c.history);
  if (keys.size() < kKeys) {
    return not_applicable(fmt::format("{} keys were seen, and {} are needed", keys.size(), kKeys));
  }
  return judge(keys);
}

}  // namespace

const CheckDescriptor kKeyUnpredictable = {
    .name = "key_unpredictable",
    .summary = "idempotency keys cannot be guessed",
    .rule =
        "16 to 255 characters, the reference is not in it, and what differs from key to key has 64 "
        "bits or more",
    .judged = "runs with ten keys or more, such as those with many copies",
    .why = "Who guesses a key gets the stored answer, or has your next create refused.",
    .change = "Use a random UUID (version 4), made where the operation is first wanted.",
    .source = "draft-ietf-httpapi-idempotency-key-header, security considerations",
    .since = "0.1",
    .params = {{.name = "natural",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "the vendor wants keys made from the order itself"}},
    .advisory = true,
    .severity = 25,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
