#include "client-tests/run/sample_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

namespace mishap::client_tests {
namespace {

using Row = std::array<std::int64_t, 7>;

// "[1,2,3,4,5,6,7]", white space nowhere: nobody but mishap writes it.
std::optional<Row> read_row(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  Row row{};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data(), end, row[i]);
    const bool is_last = i + 1 == row.size();
    const bool goes_on = rest != end && *rest == ',';
    if (error != std::errc() || row[i] < 0 || (is_last ? rest != end : !goes_on)) {
      return std::nullopt;
    }
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()) + (is_last ? 0 : 1));
  }
  return row;
}

ProcessSample sample_of(const Row& row) {
  const auto count = [&](std::size_t place) { return static_cast<std::uint64_t>(row[place]); };
  return {Duration(row[1]), Duration(row[2]), count(3), count(4), count(5), count(6)};
}

std::optional<std::string> add(const Row& row, std::vector<ProcessFacts>& processes) {
  if (static_cast<std::uint64_t>(row[0]) >= processes.size()) {
    return fmt::format("there is no process {}", row[0]);
  }
  auto& series = processes[static_cast<std::size_t>(row[0])].series;
  const ProcessSample sample = sample_of(row);
  if (series.size() == ProcessFacts::kMostSamples) {
    return fmt::format("more than {} looks at process {}", ProcessFacts::kMostSamples, row[0]);
  }
  if (!series.empty() && (sample.at < series.back().at || sample.cpu < series.back().cpu)) {
    return "before the look above it";
  }
  series.push_back(sample);
  return std::nullopt;
}

}  // namespace

std::string to_sample_lines(const std::vector<ProcessFacts>& processes) {
  std::string lines;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (const ProcessSample& sample : processes[i].series) {
      fmt::format_to(std::back_inserter(lines), "[{},{},{},{},{},{},{}]\n", i, sample.at.count(),
                     sample.cpu.count(), sample.rss, sample.fds, sample.threads, sample.sockets);
    }
  }
  return lines;
}

tl::expected<void, BadText> read_sample_lines(std::string_view text,
                                              std::vector<ProcessFacts>& processes) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto row = read_row(text.substr(0, end));
    if (!row) return tl::unexpected(BadText{"must be a list of seven whole numbers", line, 1});
    if (auto wrong = add(*row, processes)) return tl::unexpected(BadText{*wrong, line, 1});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace mishap::client_tests
