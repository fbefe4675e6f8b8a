#include "client-tests/checks/client_output.h"

#include <algorithm>
#include <cctype>

namespace mishap::client_tests {

namespace {

constexpr std::string_view kFile = "file:";
// Head and tail together.
constexpr std::uint64_t kKept = 64 * 1024;

// "life3.stdout" -> "stdout"
std::string_view without_life(std::string_view stream) {
  constexpr std::string_view kLife = "life";
  if (!stream.starts_with(kLife)) return stream;
  const std::size_t end = stream.find_first_not_of("0123456789", kLife.size());
  const bool is_life = end != std::string_view::npos && end > kLife.size() && stream[end] == '.';
  return is_life ? stream.substr(end + 1) : stream;
}

bool is_in_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// It stands in the line, and not as a part of a longer word.
bool stands_in(std::string_view line, std::string_view name) {
  for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_in_a_word(line[at - 1]);
    const bool ends = end == line.size() || !is_in_a_word(line[end]);
    if (begins && ends) return true;
  }
  return false;
}

// The first word of the text, from `at`; empty: there is none. Moves `at` behind it.
std::string_view next_word(std::string_view text, std::size_t& at) {
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
  const auto begin = std::find_if(from, text.end(), is_in_a_word);
  const auto end = std::find_if_not(begin, text.end(), is_in_a_word);
  at = static_cast<std::size_t>(end - text.begin());
  return text.substr(static_cast<std::size_t>(begin - text.begin()),
                     static_cast<std::size_t>(end - begin));
}

}  // namespace

bool is_log_file(const Captured& captured) {
  return without_life(captured.stream).starts_with(kFile);
}

bool is_clients_own(const Captured& captured) {
  const std::string_view stream = without_life(captured.stream);
  return stream == "stdout" || stream == "stderr" || stream.starts_with(kFile);
}

SaidLines::SaidLines(const Recording& recording, int copy, bool files_only) {
  const auto is_said = [&](const Captured& captured) {
    return captured.copy == copy && is_clients_own(captured);
  };
  const bool has_files = std::ranges::any_of(recording.output, [&](const Captured& captured) {
    return is_said(captured) && is_log_file(captured);
  });
  for (const bool of_files : {false, true}) {
    if (of_files) files_from_ = lines_.size();
    if (!of_files && files_only && has_files) continue;
    for (const Captured& captured : recording.output) {
      if (is_said(captured) && is_log_file(captured) == of_files) add(captured);
    }
  }
  make_index();
}

void SaidLines::add(const Captured& captured) {
  bytes_ += captured.bytes;
  const bool is_cut = captured.bytes > kKept;
  whole_ = whole_ && !is_cut && captured.unread == 0;
  if (!is_cut) return add(captured.head + captured.tail);
  const std::string_view head = captured.head;
  const std::string_view tail = captured.tail;
  add(head.substr(0, head.rfind('\n') + 1));  // npos + 1 is 0: it is one line
  add(tail.substr(std::min(tail.find('\n'), tail.size())));
}

void SaidLines::add(std::string_view text) {
  const bool is_ended = text.ends_with('\n');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines_.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (text.empty() && !is_ended) unended_.insert(lines_.size() - 1);
  }
}

void SaidLines::make_index() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const std::string_view word : words_of(i)) {
      auto& where = lines_by_word_[word];
      if (where.empty() || where.back() != i) where.push_back(i);
    }
  }
}

std::set<std::size_t> SaidLines::naming(const std::vector<std::string>& names) const {
  std::set<std::size_t> found;
  for (const std::string& name : names) {
    std::size_t at = 0;
    for (const std::size_t line : with_word(next_word(name, at))) {
      if (stands_in(lines_[line], name)) found.insert(line);
    }
  }
  return found;
}

const std::vector<std::size_t>& SaidLines::with_word(std::string_view word) const {
  static const std::vector<std::size_t> kNone;
  const auto where = lines_by_word_.find(word);
  return where == lines_by_word_.end() ? kNone : where->second;
}

std::vector<std::string_view> SaidLines::words_of(std::size_t line) const {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  for (auto word = next_word(lines_[line], at); !word.empty(); word = next_word(lines_[line], at)) {
    words.push_back(word);
  }
  return words;
}

}  // namespace mishap::client_tests
