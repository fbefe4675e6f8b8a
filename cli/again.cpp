#include "cli/again.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include <fmt/format.h>

namespace mishap::cli {
namespace {

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("-_./=:@%+,", c) != nullptr;
  });
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

bool is_option(const std::string& word, std::string_view option) {
  return word == option || word.starts_with(std::string(option) + "=");
}

// What makes no sense a second time: a folder that is not empty any more, a list that is written.
std::vector<std::string> words_to_repeat(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_option(words[i], "--last-failed") || is_option(words[i], "--write-known")) continue;
    if (!is_option(words[i], "--out")) {
      kept.push_back(words[i]);
    } else if (words[i] == "--out") {
      ++i;
    }
  }
  return kept;
}

// Only a run in mishap-runs is found again.
bool can_repeat_fails(const TestArguments& arguments, const client_tests::SuiteVerdict& verdict) {
  return arguments.out.empty() &&
         std::ranges::find(verdict.cases, client_tests::Verdict::Fail,
                           &client_tests::CaseVerdict::verdict) != verdict.cases.end();
}

}  // namespace

std::string again(const TestArguments& arguments, std::uint64_t seed,
                  const std::optional<Shard>& shard, const client_tests::SuiteVerdict& verdict,
                  const std::vector<std::string>& client) {
  std::string line = "mishap";
  for (const auto& word : words_to_repeat(arguments.words)) line += " " + quoted(word);
  if (shard && arguments.shard.empty()) line += " --shard " + shard->text();
  if (!arguments.seed) line += fmt::format(" --seed {}", seed);
  if (can_repeat_fails(arguments, verdict)) line += " --last-failed";
  line += " --";
  for (const auto& word : client) line += " " + quoted(word);
  return line;
}

}  // namespace mishap::cli
