#include "client-tests/driver/kept.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "client-tests/launch/confined_file.h"
#include "client-tests/launch/secrets.h"

namespace mishap::client_tests {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostBytes = 16 * 1024 * 1024;
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostCounters = 100;
constexpr std::size_t kLongestText = 500;
constexpr int kDeepest = 64;

std::uint64_t size_of(const ConfinedFile& opened) {
  return static_cast<std::uint64_t>(opened.facts.st_size);
}

// At most kMostBytes of it.
std::string read_from(const ConfinedFile& opened, std::uint64_t from) {
  std::string text;
  std::array<char, 64 * 1024> chunk;
  while (text.size() < kMostBytes) {
    const std::size_t most = std::min<std::size_t>(chunk.size(), kMostBytes - text.size());
    const auto at = static_cast<off_t>(from + text.size());
    const ssize_t got = ::pread(opened.file.get(), chunk.data(), most, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

json parse(std::string_view text) {
  const auto not_too_deep = [](int depth, json::parse_event_t, json&) { return depth <= kDeepest; };
  return json::parse(text, not_too_deep, false);
}

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return {};
  if (found->is_string()) return found->get<std::string>().substr(0, kLongestText);
  const auto text = found->dump(-1, ' ', true, json::error_handler_t::replace);
  return text.substr(0, kLongestText);
}

bool is_something(const json& value) {
  const bool is_empty = (value.is_string() || value.is_structured()) && value.empty();
  return !value.is_null() && !is_empty;
}

std::optional<std::uint64_t> size_of(const std::string& folder, const std::string& path) {
  const auto opened = open_confined(folder, path);
  if (!opened) return std::nullopt;
  return size_of(*opened);
}

std::optional<DeadLetter> entry_of(const json& object, const KeptIn& at) {
  if (!object.is_object()) return std::nullopt;
  DeadLetter entry;
  entry.copy = at.copy;
  entry.run = at.run;
  entry.operation = text_of(object, "operation");
  entry.error = mask_secrets(text_of(object, "error"), at.secrets);
  if (const auto found = object.find("attempts"); found != object.end()) {
    if (found->is_number_integer()) entry.attempts = found->get<std::int64_t>();
  }
  const auto payload = object.find("payload");
  entry.has_payload = payload != object.end() && is_something(*payload);
  entry.payload_file = text_of(object, "payload_file");
  if (!entry.payload_file.empty()) entry.payload_bytes = size_of(at.folder, entry.payload_file);
  return entry;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

DeadLetters read_dead_letters(const std::string& file, const KeptIn& at,
                              std::vector<std::string>& notes) {
  DeadLetters letters;
  const auto opened = open_confined(at.folder, file);
  if (!opened) return letters;
  std::string text = read_from(*opened, 0);
  bool is_cut = text.size() < size_of(*opened);
  if (is_cut) text.resize(text.rfind('\n') + 1);  // npos + 1 is 0: it is one line
  std::size_t bad = 0;
  for (const auto line : lines_of(text)) {
    if (letters.entries.size() == kMostEntries) {
      is_cut = true;
      break;
    }
    if (auto entry = entry_of(parse(line), at)) {
      letters.entries.push_back(std::move(*entry));
    } else {
      ++bad;
    }
  }
  if (bad > 0) {
    notes.push_back(fmt::format("copy {}: {} of {} could not be read", at.copy,
                                bad == 1 ? "a line" : fmt::format("{} lines", bad), file));
  }
  if (is_cut) {
    notes.push_back(
        fmt::format("copy {}: of {} only the first {} entries were read (at most {} MiB and {})",
                    at.copy, file, letters.entries.size(), kMostBytes >> 20, kMostEntries));
  }
  letters.whole = bad == 0 && !is_cut;
  return letters;
}

Telemetry read_telemetry(const std::string& file, const KeptIn& at) {
  Telemetry told;
  told.copy = at.copy;
  told.run = at.run;
  const auto opened = open_confined(at.folder, file);
  if (!opened) {
    told.trouble = "there is no " + file;
    return told;
  }
  const std::uint64_t size = size_of(*opened);
  const std::string text = read_from(*opened, size - std::min(size, kMostBytes));
  json object = parse(text);
  const auto lines = lines_of(text);
  if (!object.is_object() && !lines.empty()) object = parse(lines.back());
  if (!object.is_object()) {
    told.trouble = file + " holds no JSON object";
    return told;
  }
  for (const auto& [name, value] : object.items()) {
    if (told.counters.size() == kMostCounters) break;
    if (value.is_number_integer()) {
      told.counters[name.substr(0, kLongestText)] = value.get<std::int64_t>();
    }
  }
  return told;
}

void look_at_kept(const KeptIn& at, std::vector<OutcomeLine>& lines) {
  for (OutcomeLine& line : lines) {
    if (!line.kept) continue;
    line.kept_bytes = size_of(at.folder, *line.kept);
    line.kept = mask_secrets(line.kept->substr(0, kLongestText), at.secrets);
  }
}

}  // namespace mishap::client_tests
