#include "client-tests/checks/log_threads.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace mishap::client_tests {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "2026-11-29T20", "20261129T201405Z": the same in many lines.
bool is_date(std::string_view word) {
  constexpr std::size_t kLongestDate = 20;
  std::string text(word);
  std::erase(text, '-');
  return word.size() <= kLongestDate && text.size() >= 8 && text.starts_with("20") &&
         std::all_of(text.begin(), text.begin() + 8, is_digit);
}

// Long enough not to come twice by chance; a number has to be longer than the times and process
// numbers that stand in every log.
bool looks_like_an_id(std::string_view word) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kShortestNumber = 16;
  if (word.size() < kShortest || is_date(word) || std::ranges::none_of(word, is_digit)) {
    return false;
  }
  return word.size() >= kShortestNumber || !std::ranges::all_of(word, is_digit);
}

}  // namespace

void LogThreads::add(std::size_t operation, std::set<std::size_t> lines) {
  for (const std::size_t line : lines) operations_[line].insert(operation);
  naming_[operation] = std::move(lines);
}

const std::set<std::size_t>& LogThreads::naming(std::size_t operation) const {
  return naming_.at(operation);
}

bool LogThreads::is_id_of(std::string_view word, std::size_t operation) const {
  if (!looks_like_an_id(word) || (usual_ && !usual_->with_word(word).empty())) return false;
  return std::ranges::all_of(said_.with_word(word), [&](std::size_t line) {
    const auto named = operations_.find(line);
    return named == operations_.end() ||
           (named->second.size() == 1 && named->second.contains(operation));
  });
}

std::set<std::size_t> LogThreads::sharing(std::size_t operation) const {
  std::set<std::size_t> lines;
  const auto& named = naming(operation);
  std::set<std::string_view> seen;
  for (const std::size_t line : named) {
    for (const std::string_view word : said_.words_of(line)) {
      if (!seen.insert(word).second || !is_id_of(word, operation)) continue;
      for (const std::size_t other : said_.with_word(word)) {
        if (!named.contains(other)) lines.insert(other);
      }
    }
  }
  return lines;
}

}  // namespace mishap::client_tests
