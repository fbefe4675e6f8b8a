#include "cli/unhealthy.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "client-tests/starter/starter_api.h"
#include "mishap/printable.h"

namespace mishap::cli {
namespace {

constexpr std::size_t kMostRequests = 10;
constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostLinesOfADrive = 30;  // a test-suite ends with its tally
constexpr std::size_t kWidest = 200;

std::string shown(const std::string& text) {
  return printable(text).substr(0, kWidest);
}

std::string request_line(const server::Exchange& exchange) {
  const auto status = exchange.answer.status;
  std::string line = fmt::format("  {:>8.3f}  {} {} -> {}\n",
                                 std::chrono::duration<double>(exchange.first_byte).count(),
                                 shown(exchange.request.method), shown(exchange.request.target),
                                 status == 0 ? std::string("no answer") : std::to_string(status));
  if (!exchange.note.empty()) line += fmt::format("            {}\n", shown(exchange.note));
  return line;
}

std::vector<std::string> last_lines(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() > most) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  }
  return lines;
}

}  // namespace

std::string requests_seen(const client_tests::Recording& control) {
  const auto& exchanges = control.journal.exchanges;
  std::string text;
  for (std::size_t i = 0; i < std::min(exchanges.size(), kMostRequests); ++i) {
    text += request_line(exchanges[i]);
  }
  if (exchanges.size() > kMostRequests) {
    text += fmt::format("  ... {} more\n", exchanges.size() - kMostRequests);
  }
  return text;
}

std::string last_error_lines(const client_tests::Recording& control) {
  std::string text;
  for (const auto& captured : control.output) {
    if (!captured.stream.ends_with("stderr") || captured.bytes == 0) continue;
    const auto dot = captured.stream.find('.');
    const auto who = dot == std::string::npos ? "client" : captured.stream.substr(0, dot);
    text += fmt::format("the {}'s last error lines\n", who);
    const auto most = who == "drive" ? kMostLinesOfADrive : kMostLines;
    for (const auto& line :
         last_lines(captured.tail.empty() ? captured.head : captured.tail, most)) {
      text += "  | " + shown(line) + "\n";
    }
  }
  return text;
}

std::string never_ended_text(const client_tests::Recording& control) {
  const bool never = std::ranges::any_of(control.processes, [](const auto& process) {
    return process.stop == client_tests::Stop::Killed &&
           process.role == client_tests::ProcessRole::Command;
  });
  if (!never) return {};
  return "the client did not end by itself; one that goes on for ever is a service, and is judged "
         "as one\n  with `client: {kind: service, until: quiet 3s}` in mishap.yaml "
         "(docs/service.md)\n";
}

bool write_starter(const client_tests::Recording& control, const std::string& path,
                   const std::string& usage) {
  std::ofstream file(path, std::ios::binary);
  file << client_tests::starter_text(client_tests::starter_api_of(control), usage) << std::flush;
  return file.good();
}

}  // namespace mishap::cli
