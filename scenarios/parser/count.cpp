#include "mishap/count.h"

#include <fmt/format.h>

#include <optional>

namespace mishap::scenarios {
namespace {

constexpr std::size_t kShown = 60;

using Read = tl::expected<Count, std::string>;

Read wrong(std::string message) {
  return tl::unexpected(std::move(message));
}

std::optional<std::uint64_t> ordinal(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

Read every_from(std::string_view text, CountRules rules) {
  if (!rules.allow_every) return wrong("\"every\" makes no sense here: give n, n..m or n..");
  const auto n = ordinal(text);
  if (!n) return wrong("\"every\" takes a number: every 3");
  if (*n == 0) return wrong("every 0 never happens");
  Count count;
  count.every = *n;
  return count;
}

Read range_from(std::string_view text, CountRules rules) {
  const std::size_t dots = text.find("..");
  const auto first = ordinal(text.substr(0, dots));
  Count count;
  if (!first) {
    return wrong(fmt::format("\"{}\" is not a count: n, n..m, n..{}", text.substr(0, kShown),
                             rules.allow_every ? " or every n" : ""));
  }
  count.first = *first;
  if (dots == std::string_view::npos) {
    count.last = *first;
  } else if (const auto end = text.substr(dots + 2); !end.empty()) {
    const auto last = ordinal(end);
    if (!last) {
      return wrong(fmt::format("\"{}\" is not a range: n..m or n..", text.substr(0, kShown)));
    }
    count.last = *last;
  }
  if (count.last < count.first) {
    return wrong(fmt::format("the range {} is empty: it runs backwards", text.substr(0, kShown)));
  }
  if (count.first < rules.least) return wrong(fmt::format("this counts from {}", rules.least));
  return count;
}

}  // namespace

Read parse_count(std::string_view text, CountRules rules) {
  constexpr std::string_view kEvery = "every ";
  return text.starts_with(kEvery) ? every_from(text.substr(kEvery.size()), rules)
                                  : range_from(text, rules);
}

}  // namespace mishap::scenarios
