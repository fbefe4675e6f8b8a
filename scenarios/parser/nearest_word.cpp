#include "mishap/nearest_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "mishap/printable.h"

namespace mishap {
namespace {

// Words of the language are short; longer ones cost time and are never a slip of the pen.
constexpr std::size_t kLongestWord = 100;

// A file may bring names of its own by the thousand, and as many words that are none of them.
constexpr std::size_t kMostCompared = 1000;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Damerau-Levenshtein in its restricted form: insert, delete, replace, swap neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago(b.size() + 1);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], two_ago[j - 2] + 1);
      }
    }
    std::swap(two_ago, before);
    std::swap(before, now);
  }
  return before[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = lower(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate :
       std::span(candidates).first(std::min(candidates.size(), kMostCompared))) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t d = distance(wanted, lower(candidate));
    const std::size_t allowed =
        std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    // A word of one or two letters is "near" to every other such word.
    if (d > allowed || d >= std::max(word.size(), candidate.size())) continue;
    if (best == nullptr || d < best_distance) {
      best = &candidate;
      best_distance = d;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostListed = 12;
  constexpr std::size_t kMostShown = 60;
  std::string text = fmt::format("unknown {} \"{}\"", what, printable(word, kMostShown));
  if (const auto near = nearest_word(word, candidates)) {
    return text + fmt::format("; did you mean \"{}\"?", *near);
  }
  if (candidates.empty() || candidates.size() > kMostListed) return text;
  return text + fmt::format("; known: {}", fmt::join(candidates, ", "));
}

}  // namespace mishap
