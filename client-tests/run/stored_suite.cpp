#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "client-tests/run/folder.h"
#include "client-tests/run/run_json.h"
#include "client-tests/run/sample_lines.h"
#include "mishap/journal_reader.h"
#include "mishap/recording.h"

namespace mishap::client_tests {
namespace {

constexpr const char* kSuiteFile = "suite.json";
constexpr const char* kVerdictFile = "verdict.json";
constexpr const char* kRecordingFile = "recording.json";
constexpr const char* kJournalFile = "journal.jsonl";
constexpr const char* kOutcomesFile = "outcomes.jsonl";
constexpr const char* kSamplesFile = "samples.jsonl";
constexpr const char* kRunsFolder = "mishap-runs";

std::string in(const std::string& folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

// By its place in the recording, so that no stored name is ever taken for a path.
std::string output_name(std::size_t number, const Captured& captured, std::string_view part) {
  std::vector<std::string> none;
  return fmt::format("output-{}-{}.{}", number, folder_name(captured.stream, none), part);
}

tl::unexpected<Error> unreadable(const std::string& path, const BadText& bad) {
  return tl::unexpected(file_error(ErrorCode::BadInput, path, bad.what, bad.line, bad.column));
}

tl::expected<void, Error> store_output(const Recording& recording, const std::string& folder) {
  for (std::size_t i = 0; i < recording.output.size(); ++i) {
    const auto& captured = recording.output[i];
    const auto head = write_file(in(folder, output_name(i, captured, "head")), captured.head);
    if (!head) return head;
    const auto tail = write_file(in(folder, output_name(i, captured, "tail")), captured.tail);
    if (!tail) return tail;
  }
  return {};
}

tl::expected<void, Error> load_output(Recording& recording, const std::string& folder) {
  for (std::size_t i = 0; i < recording.output.size(); ++i) {
    auto& captured = recording.output[i];
    auto head = read_file(in(folder, output_name(i, captured, "head")));
    if (!head) return tl::unexpected(head.error());
    auto tail = read_file(in(folder, output_name(i, captured, "tail")));
    if (!tail) return tl::unexpected(tail.error());
    captured.head = std::move(*head);
    captured.tail = std::move(*tail);
  }
  return {};
}

tl::expected<void, Error> store_recording(const Recording& recording, const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made;
  const auto journal =
      write_file(in(folder, kJournalFile), server::to_json_lines(recording.journal));
  if (!journal) return journal;
  const auto outcomes = write_file(in(folder, kOutcomesFile), to_json_lines(recording.outcomes));
  if (!outcomes) return outcomes;
  const auto samples = write_file(in(folder, kSamplesFile), to_sample_lines(recording.processes));
  if (!samples) return samples;
  if (auto output = store_output(recording, folder); !output) return output;
  return write_file(in(folder, kRecordingFile), to_json(recording));
}

tl::expected<server::Journal, Error> load_journal(const std::string& path) {
  server::JournalReader reader;
  const auto read =
      read_lines(path, {[&](std::size_t bytes) { reader = server::JournalReader(bytes); },
                        [&](std::string_view lines) -> tl::expected<void, Error> {
                          const auto added = reader.add(lines);
                          if (added) return {};
                          // The journal knows the line, the file is ours to name.
                          const Error& error = added.error();
                          return tl::unexpected(file_error(error.code, path, error.message,
                                                           error.span.line, error.span.column));
                        }});
  if (!read) return tl::unexpected(read.error());
  return reader.take();
}

tl::expected<std::vector<OutcomeLine>, Error> load_outcomes(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto outcomes = read_outcomes(*text);
  if (!outcomes) return unreadable(path, outcomes.error());
  return std::move(*outcomes);
}

// Runs that an older mishap stored have none.
tl::expected<void, Error> load_samples(Recording& recording, const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return {};
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto read = read_sample_lines(*text, recording.processes);
  if (!read) return unreadable(path, read.error());
  return {};
}

tl::expected<Recording, Error> load_recording(const std::string& folder) {
  const std::string path = in(folder, kRecordingFile);
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto recording = read_recording(*text);
  if (!recording) return unreadable(path, recording.error());
  auto journal = load_journal(in(folder, kJournalFile));
  if (!journal) return tl::unexpected(journal.error());
  recording->journal = std::move(*journal);
  auto outcomes = load_outcomes(in(folder, kOutcomesFile));
  if (!outcomes) return tl::unexpected(outcomes.error());
  recording->outcomes = std::move(*outcomes);
  if (auto samples = load_samples(*recording, in(folder, kSamplesFile)); !samples) {
    return tl::unexpected(samples.error());
  }
  if (auto output = load_output(*recording, folder); !output) {
    return tl::unexpected(output.error());
  }
  return std::move(*recording);
}

tl::expected<std::vector<std::string>, Error> store_all(const std::vector<Recording>& recordings,
                                                        const std::string& prefix,
                                                        const std::string& folder,
                                                        std::vector<std::string>& taken) {
  std::vector<std::string> names;
  for (const auto& recording : recordings) {
    names.push_back(folder_name(prefix + recording.scenario.name, taken));
    const auto stored = store_recording(recording, in(folder, names.back()));
    if (!stored) return tl::unexpected(stored.error());
  }
  return names;
}

tl::expected<std::vector<Recording>, Error> load_all(const std::vector<std::string>& names,
                                                     const std::string& folder) {
  std::vector<Recording> recordings;
  for (const auto& name : names) {
    if (!is_plain_name(name)) {
      return tl::unexpected(file_error(ErrorCode::BadInput, in(folder, kSuiteFile),
                                       "\"" + name + "\" is not the name of a folder in it"));
    }
    auto recording = load_recording(in(folder, name));
    if (!recording) return tl::unexpected(recording.error());
    recordings.push_back(std::move(*recording));
  }
  return recordings;
}

// Stored runs are nobody's source code. Only a folder that is ours alone is told so: a run may be
// stored anywhere, beside the files of a project.
tl::expected<void, Error> hide_from_git(const std::string& folder) {
  const auto path = std::filesystem::absolute(folder).lexically_normal();
  const auto real = path.has_filename() ? path : path.parent_path();
  const auto parent = real.parent_path();
  const auto ignored = (parent.filename() == kRunsFolder ? parent : real) / ".gitignore";
  std::error_code failure;
  if (std::filesystem::exists(ignored, failure)) return {};
  return write_file(ignored.string(), "*\n");
}

}  // namespace

tl::expected<void, Error> store_suite(const Suite& suite, const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made;
  if (auto hidden = hide_from_git(folder); !hidden) return hidden;
  // A run that was here before is no longer whole, and its verdict is not ours.
  for (const char* old : {kSuiteFile, kVerdictFile}) ::unlink(in(folder, old).c_str());
  SuiteIndex index;
  index.suite.name = suite.name;
  index.suite.seed = suite.seed;
  index.suite.again = suite.again;
  index.suite.project = suite.project;
  index.suite.jobs = suite.jobs;
  index.suite.jobs_reason = suite.jobs_reason;
  index.suite.length = suite.length;
  index.suite.stopped = suite.stopped;
  index.suite.targets = suite.targets;
  index.suite.narrowed = suite.narrowed;
  index.suite.shard = suite.shard;
  index.suite.day = suite.day;
  index.suite.known = suite.known;
  index.suite.strict_known = suite.strict_known;
  std::vector<std::string> taken{kSuiteFile, kVerdictFile, "report.txt", "report.json",
                                 "report.xml"};
  auto controls = store_all(suite.controls, "control-", folder, taken);
  if (!controls) return tl::unexpected(controls.error());
  auto recordings = store_all(suite.recordings, "", folder, taken);
  if (!recordings) return tl::unexpected(recordings.error());
  index.controls = std::move(*controls);
  index.recordings = std::move(*recordings);
  // Last: a folder with this file is a whole run.
  return write_file(in(folder, kSuiteFile), to_json(index));
}

tl::expected<Suite, Error> load_suite(const std::string& folder) {
  std::error_code failure;
  if (!std::filesystem::is_directory(folder, failure)) {
    return tl::unexpected(file_error(ErrorCode::NotFound, folder, "there is no such folder"));
  }
  const std::string path = in(folder, kSuiteFile);
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto index = read_suite_index(*text);
  if (!index) return unreadable(path, index.error());
  auto controls = load_all(index->controls, folder);
  if (!controls) return tl::unexpected(controls.error());
  auto recordings = load_all(index->recordings, folder);
  if (!recordings) return tl::unexpected(recordings.error());
  Suite suite = std::move(index->suite);
  suite.controls = std::move(*controls);
  suite.recordings = std::move(*recordings);
  return suite;
}

}  // namespace mishap::client_tests
