#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mishap {

// The candidate that the user most likely meant: smallest Damerau-Levenshtein distance, at most a
// third of the longer word (at least 1). None where nothing is that near.
std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& candidates);

// `unknown WHAT "word"` with `; did you mean "x"?`, or with the list of candidates where nothing is
// near and there are at most twelve.
std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string>& candidates);

}  // namespace mishap
