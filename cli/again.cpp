#include "cli/again.h"

#include <algorithm>

#include "cli/run_folder.h"

namespace mishap::cli {
namespace {

bool is_option(const std::string& word, std::string_view option) {
  return word == option || word.starts_with(std::string(option) + "=");
}

// A list that was written is written, and what failed the last time is another thing now.
std::vector<std::string> words_to_repeat(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) {
    return is_option(word, "--last-failed") || is_option(word, "--write-known");
  });
  return words;
}

std::vector<std::string> without_option(std::vector<std::string> words, std::string_view option) {
  for (auto word = words.begin(); word != words.end();) {
    if (!is_option(*word, option)) {
      ++word;
      continue;
    }
    const bool value_follows = *word == option && std::next(word) != words.end();
    word = words.erase(word, word + (value_follows ? 2 : 1));
  }
  return words;
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
  auto words = words_to_repeat(arguments.words);
  if (shard && arguments.shard.empty()) words.insert(words.end(), {"--shard", shard->text()});
  auto line = again_line(words, arguments.seed, seed);
  if (can_repeat_fails(arguments, verdict)) line += " --last-failed";
  return line + client_words(client);
}

std::string with_api(const TestArguments& arguments, const std::string& path,
                     const std::vector<std::string>& client) {
  auto words = without_option(words_to_repeat(arguments.words), "--api");
  words.insert(words.end(), {"--api", path});
  const std::uint64_t no_seed_is_added = 0;
  return again_line(words, no_seed_is_added, 0) + client_words(client);
}

}  // namespace mishap::cli
