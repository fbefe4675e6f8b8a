#include "cli/run_folder.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/commands.h"
#include "client-tests/launch/secrets.h"
#include "client-tests/run/prune_runs.h"
#include "mishap/nearest_word.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file.good();
}

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

// The folder is not empty any more, the descriptor is another one's, and a token is nobody's to
// see.
bool is_not_repeated(const std::string& word) {
  constexpr std::array<std::string_view, 3> kOnce{"--out", "--ready-fd", "--token"};
  return std::ranges::find(kOnce, std::string_view(word).substr(0, word.find('='))) != kOnce.end();
}

// Values that stand behind a telling name are secrets on our command line as well.
std::string without_secret(const std::string& word) {
  constexpr std::string_view kJoined = "--env=";
  const auto begin = word.starts_with(kJoined) ? kJoined.size() : 0;
  const auto equals = word.find('=', begin);
  if (equals == std::string::npos) return word;
  const NameValue variable{word.substr(begin, equals - begin), word.substr(equals + 1)};
  return client_tests::mask_word(word, client_tests::secrets_of({variable}, {}));
}

tl::unexpected<Error> cannot_make(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected(Error{code, std::move(message), {}, std::move(hint)});
}

tl::expected<std::string, Error> make_named_folder(const std::string& out) {
  std::error_code error;
  if (fs::exists(out) && !fs::is_empty(out, error)) {
    return cannot_make(ErrorCode::BadInput, "--out " + out + " is there already and is not empty",
                       "name a new folder, or remove it");
  }
  fs::create_directories(out, error);
  if (error) {
    return cannot_make(ErrorCode::BadInput, "--out: cannot make " + out + ": " + error.message());
  }
  return out;
}

// Verdict and reports into the run's folder; a report that could not be written is an error.
bool write_reports(const client_tests::SuiteVerdict& verdict, const client_tests::Suite& suite,
                   const Conclusion& conclusion) {
  bool fine = true;
  std::map<const reports::Format*, std::string> rendered;  // once, however many want it
  const auto write = [&](const fs::path& path, const reports::Format& format) {
    auto& text = rendered[&format];
    if (text.empty()) text = format.render(verdict, suite, {});
    if (write_file(path, text)) return;
    std::cerr << "mishap: cannot write " << path.string() << "\n";
    fine = false;
  };
  const fs::path folder(conclusion.folder);
  write(folder / "verdict.json", *reports::find_format("json"));
  for (const auto& format : reports::formats()) write(folder / format.file_name, format);
  for (const auto& target : conclusion.reports) write(target.file, *target.format);
  return fine;
}

}  // namespace

reports::RenderOptions terminal_options(bool terminal) {
  reports::RenderOptions options;
  const char* no_colour = std::getenv("NO_COLOR");
  options.colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
    options.width = std::min<int>(size.ws_col, 160);
  }
  return options;
}

std::optional<std::vector<ReportTarget>> read_reports(const std::string& who,
                                                      const std::vector<std::string>& words) {
  std::vector<ReportTarget> targets;
  std::vector<std::string> names;
  for (const auto& format : reports::formats()) names.emplace_back(format.name);
  for (const auto& word : words) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto* format = reports::find_format(name);
    if (format == nullptr) {
      std::cerr << who << ": " << unknown_word("report format", name, names) << "\n";
      return {};
    }
    auto file =
        equals == std::string::npos ? std::string(format->file_name) : word.substr(equals + 1);
    // Now, and not when all has run.
    if (const auto folder = fs::path(file).parent_path();
        file.empty() || (!folder.empty() && !fs::is_directory(folder))) {
      std::cerr << who << ": --report " << name << ": "
                << (file.empty() ? "no file is named" : "there is no folder " + folder.string())
                << "\n";
      return {};
    }
    targets.push_back({format, std::move(file)});
  }
  return targets;
}

std::string suite_name(const std::string& target, const server::Clock& clock) {
  const auto now = std::chrono::system_clock::to_time_t(clock.wall(clock.now()));
  auto first = target;
  if (const auto slash = first.rfind('/'); slash != std::string::npos && slash + 1 < first.size()) {
    first = first.substr(slash + 1);
  }
  if (first.ends_with(".yaml")) first.resize(first.size() - 5);
  std::ranges::replace_if(
      first,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_';
      },
      '-');
  return fmt::format("{:%Y-%m-%dT%H-%M-%S}-{}", fmt::gmtime(now), first);
}

std::string utc_day(const server::Clock& clock) {
  const auto now = std::chrono::system_clock::to_time_t(clock.wall(clock.now()));
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

// A folder of this run alone: two runs within a second get different ones.
tl::expected<std::string, Error> make_folder(const std::string& out, const std::string& name) {
  if (!out.empty()) return make_named_folder(out);
  std::error_code error;
  fs::create_directories(kRunsFolder, error);
  for (int i = 1; i < 1000; ++i) {
    const auto folder = fs::path(kRunsFolder) / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(folder, error)) return folder.string();
    if (error) break;
  }
  return cannot_make(ErrorCode::Environment,
                     fmt::format("cannot make a folder in {}: {}", kRunsFolder, error.message()),
                     "use --out FOLDER");
}

std::string again_line(const std::vector<std::string>& words,
                       const std::optional<std::uint64_t>& asked, std::uint64_t seed) {
  std::string line = "mishap";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_not_repeated(words[i])) {
      if (words[i].find('=') == std::string::npos) ++i;  // its value is the next word
      continue;
    }
    line += " " + quoted(without_secret(words[i]));
  }
  return asked ? line : line + fmt::format(" --seed {}", seed);
}

std::string client_words(const std::vector<std::string>& masked_client) {
  if (masked_client.empty()) return {};  // the scenarios name it
  std::string line = " --";
  for (const auto& word : masked_client) line += " " + quoted(word);
  return line;
}

int conclude_suite(const client_tests::Suite& suite, const client_tests::SuiteVerdict& verdict,
                   const Conclusion& conclusion) {
  if (auto stored = client_tests::store_suite(suite, conclusion.folder); !stored) {
    return complain(stored.error());
  }
  const bool written = write_reports(verdict, suite, conclusion);
  auto shown = conclusion.render;
  shown.run_folder = conclusion.folder;
  std::cout << reports::console_end(verdict, suite, shown)
            << policy_line(verdict, conclusion.inconclusive) << std::flush;
  if (conclusion.prune_to > 0) {
    client_tests::prune_runs(std::string(kRunsFolder),
                             static_cast<std::size_t>(conclusion.prune_to));
  }
  return written ? exit_code_of(verdict, conclusion.inconclusive) : kExitInternal;
}

int complain(const Error& error) {
  std::cerr << render(error);
  return error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound ? kExitUsage
                                                                                : kExitInternal;
}

}  // namespace mishap::cli
