#include "client-tests/launch/outcome_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mishap::client_tests {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 80;
constexpr std::size_t kDeepest = 64;

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shown(const json& value) {
  std::string text = compact(value);
  if (text.size() <= kShown) return text;
  std::size_t cut = kShown;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return text.substr(0, cut) + "...";
}

tl::unexpected<std::string> wrong(std::string what) {
  return tl::unexpected(std::move(what));
}

// The text of a member; a number is told as it was written, anything else as JSON.
std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : compact(*found);
}

tl::expected<OutcomeKind, std::string> kind_of(const json& object) {
  const auto found = object.find("outcome");
  if (found == object.end()) return wrong("outcome is missing");
  if (*found == "succeeded") return OutcomeKind::Succeeded;
  if (*found == "failed") return OutcomeKind::Failed;
  if (*found == "pending") return OutcomeKind::Pending;
  return wrong("outcome must be succeeded, failed or pending, not " + shown(*found));
}

tl::expected<std::string, std::string> operation_of(const json& object) {
  const auto found = object.find("operation");
  if (found == object.end()) return wrong("operation is missing");
  const bool named = found->is_number_integer() ||
                     (found->is_string() && !found->get_ref<const std::string&>().empty());
  if (!named) return wrong("operation must be a text, not " + shown(*found));
  return text_of(object, "operation");
}

tl::expected<void, std::string> read_numbers(const json& object, OutcomeLine& outcome) {
  if (const auto found = object.find("attempts"); found != object.end() && !found->is_null()) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > kMost) {
      return wrong("attempts must be a whole number from 0, not " + shown(*found));
    }
    outcome.attempts = found->get<std::int64_t>();
  }
  if (const auto found = object.find("duration_ms"); found != object.end() && !found->is_null()) {
    if (!found->is_number()) return wrong("duration_ms must be a number, not " + shown(*found));
    outcome.duration_ms = found->get<double>();
  }
  return {};
}

// What a client says of data that it had before.
tl::expected<void, std::string> read_age(const json& object, OutcomeLine& outcome) {
  if (const auto found = object.find("cached"); found != object.end() && !found->is_null()) {
    if (!found->is_boolean()) return wrong("cached must be true or false, not " + shown(*found));
    outcome.cached = found->get<bool>();
  }
  if (std::string as_of = text_of(object, "as_of"); !as_of.empty()) outcome.as_of = as_of;
  return {};
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// A reader of ours never goes deeper than this, whatever a line holds.
json parse(std::string_view line) {
  const auto not_too_deep = [](int depth, json::parse_event_t, json&) {
    return depth <= static_cast<int>(kDeepest);
  };
  return json::parse(line, not_too_deep, false);
}

}  // namespace

tl::expected<OutcomeLine, std::string> parse_outcome_line(std::string_view line) {
  const json object = parse(line);
  if (object.is_discarded()) return wrong("not JSON");
  if (!object.is_object()) return wrong("not a JSON object: " + shown(object));
  OutcomeLine outcome;
  const auto operation = operation_of(object);
  if (!operation) return tl::unexpected(operation.error());
  outcome.operation = *operation;
  const auto kind = kind_of(object);
  if (!kind) return tl::unexpected(kind.error());
  outcome.outcome = *kind;
  if (const auto numbers = read_numbers(object, outcome); !numbers) {
    return tl::unexpected(numbers.error());
  }
  if (const auto age = read_age(object, outcome); !age) return tl::unexpected(age.error());
  outcome.id = text_of(object, "id");
  outcome.category = text_of(object, "category");
  outcome.error = text_of(object, "error");
  if (auto kept = text_of(object, "kept"); !kept.empty()) outcome.kept = std::move(kept);
  return outcome;
}

OutcomeLines::OutcomeLines(int copy, const std::vector<std::string>& secrets,
                           const std::string& canary, const std::vector<NameValue>& sensitive)
    : copy_(copy), names_({}, canary), words_(secrets, canary, sensitive) {}

void OutcomeLines::take(std::string_view bytes, Duration at) {
  if (full_) return;
  if (bytes_ + bytes.size() > kMostBytes) {
    bytes = bytes.substr(0, static_cast<std::size_t>(kMostBytes - bytes_));
    full_ = true;
    notes.push_back(
        fmt::format("copy {}: the outcome file is longer than 64 MiB; the rest of it "
                    "was not read",
                    copy_));
  }
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const auto piece = bytes.substr(0, newline);
    if (line_.size() + piece.size() > kLongestLine) too_long_ = true;
    if (!too_long_) line_.append(piece);
    if (newline == std::string_view::npos) return;
    end_line(at);
    bytes.remove_prefix(newline + 1);
  }
}

void OutcomeLines::start_over() {
  line_.clear();
  too_long_ = false;
  number_ = 0;
  note("the client started its outcome file over; a line may have been missed");
}

void OutcomeLines::note(std::string_view what) {
  std::string told = fmt::format("copy {}: {}", copy_, what);
  if (std::ranges::find(notes, told) == notes.end()) notes.push_back(std::move(told));
}

void OutcomeLines::finish(Duration at) {
  if (finished_) return;
  finished_ = true;
  if (!full_ && (too_long_ || !is_blank(line_))) {
    notes.push_back(fmt::format("copy {}: the last outcome line has no newline at its end", copy_));
    end_line(at);
  }
  if (bad_ > kMostBad) {
    bad_lines.push_back(fmt::format("and {} more", bad_ - kMostBad));
  }
}

void OutcomeLines::end_line(Duration at) {
  ++number_;
  if (too_long_) {
    complain("longer than 64 KiB");
  } else {
    read(line_, at);
  }
  line_.clear();
  too_long_ = false;
}

void OutcomeLines::read(std::string_view line, Duration at) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  // A writer that kept its place in a file that was cut leaves a hole of zeros before its line.
  line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
  if (is_blank(line)) return;
  auto outcome = parse_outcome_line(line);
  if (!outcome) {
    complain(outcome.error());
    return;
  }
  outcome->at = at;
  outcome->copy = copy_;
  outcome->operation = names_(outcome->operation);
  outcome->id = names_(outcome->id);
  outcome->category = words_(outcome->category);
  outcome->error = words_(outcome->error);
  if (outcome->as_of) outcome->as_of = words_(*outcome->as_of);
  outcomes.push_back(std::move(*outcome));
}

void OutcomeLines::complain(const std::string& what) {
  if (++bad_ > kMostBad) return;
  const std::string copy = copy_ == 0 ? std::string() : fmt::format("copy {}, ", copy_);
  bad_lines.push_back(words_(fmt::format("{}line {}: {}", copy, number_, what)));
}

}  // namespace mishap::client_tests
