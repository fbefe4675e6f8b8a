#include "mishap/client.h"

#include <algorithm>

namespace mishap::scenarios {
namespace {

// What a POSIX shell would not take as it stands (XCU 2.2). Braces are ours: {url}.
constexpr std::string_view kShellSigns = "|&;<>()$`\\\"'*?[]\n\r";
constexpr std::string_view kBlanks = " \t";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

bool needs_shell(const std::string& text, const std::vector<std::string>& words) {
  if (text.find_first_of(kShellSigns) != std::string::npos) return true;
  if (!words.empty() && words.front().find('=') != std::string::npos) return true;  // NAME=x node
  return std::ranges::any_of(
      words, [](const std::string& word) { return word.front() == '~' || word.front() == '#'; });
}

template <typename T>
void replace(std::optional<T>& base, const std::optional<T>& over) {
  if (over) base = over;
}

void replace(CommandLine& base, const CommandLine& over) {
  if (!over.empty()) base = over;
}

void merge(std::vector<NameValue>& base, const std::vector<NameValue>& over) {
  for (const NameValue& one : over) {
    const auto same = std::ranges::find(base, one.name, &NameValue::name);
    if (same == base.end()) {
      base.push_back(one);
    } else {
      same->value = one.value;
    }
  }
}

}  // namespace

Client laid_over(Client base, const Client& over) {
  replace(base.kind, over.kind);
  replace(base.command, over.command);
  merge(base.environment, over.environment);
  replace(base.ready, over.ready);
  replace(base.drive, over.drive);
  replace(base.until, over.until);
  replace(base.stop, over.stop);
  replace(base.before, over.before);
  replace(base.after, over.after);
  replace(base.ready_within, over.ready_within);
  replace(base.kill_after, over.kill_after);
  replace(base.replay, over.replay);
  if (!over.logs.empty()) base.logs = over.logs;
  base.json_logs = base.json_logs || over.json_logs;
  merge(base.sensitive, over.sensitive);
  if (!over.dead_letters.empty()) base.dead_letters = over.dead_letters;
  if (!over.telemetry.empty()) base.telemetry = over.telemetry;
  if (over.span.line != 0) base.span = over.span;
  return base;
}

bool is_service(const Client& client) {
  if (client.kind) return *client.kind == Client::Kind::Service;
  return client.ready || client.drive || client.until || client.stop;
}

std::string what_is_missing(const Client& client) {
  if (!is_service(client)) {
    if (!client.ready && !client.drive && !client.until && !client.stop) return {};
    return "a client of kind command has no \"ready\", \"drive\", \"until\" or \"stop\": it ends "
           "by itself";
  }
  const bool quiet = client.until && client.until->quiet;
  if (client.drive || quiet) return {};
  return "a service needs \"drive\" (what makes it act) or \"until: quiet 3s\" (it acts by itself)";
}

CommandLine command_of(const std::string& text) {
  auto words = split(text);
  if (needs_shell(text, words)) return {"/bin/sh", "-c", text};
  return words;
}

const std::vector<std::string>& stop_signals() {
  static const std::vector<std::string> kSignals = {"SIGTERM", "SIGINT",  "SIGQUIT", "SIGHUP",
                                                    "SIGUSR1", "SIGUSR2", "SIGKILL"};
  return kSignals;
}

}  // namespace mishap::scenarios
