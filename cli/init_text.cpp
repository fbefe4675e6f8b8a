#include "cli/init_text.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client-tests/starter/yaml_text.h"
#include "mishap/printable.h"
#include "mishap/profiles.h"

namespace mishap::cli {
namespace {

using client_tests::yaml_text;
using client_tests::yaml_word;

constexpr std::size_t kMostCalls = 12;

std::string command_text(const scenarios::Client& client) {
  std::vector<std::string> words;
  for (const auto& word : client.command) words.push_back(yaml_word(word));
  return fmt::format("  command: [{}]\n", fmt::join(words, ", "));
}

std::string environment_text(const InitFacts& facts) {
  std::string text;
  std::string left_out;
  for (const auto& variable : facts.client.environment) {
    if (std::ranges::find(facts.secret, variable.name) != facts.secret.end()) {
      left_out += fmt::format(
          "  # {} looks like a secret and is not written here: it comes from the environment of\n"
          "  # mishap, or {{token}} for the credential that the mock accepts.\n",
          variable.name);
    } else {
      text += fmt::format("    {}: {}\n", yaml_word(variable.name), yaml_text(variable.value));
    }
  }
  return (text.empty() ? "" : "  env:\n" + text) + left_out;
}

// A service has to be made to act; only its owner knows how.
std::string service_text(const InitFacts& facts) {
  if (!facts.service) return {};
  std::string text = "  kind: service        # it did not end by itself\n";
  if (facts.port) {
    text += fmt::format(
        "  ready: port {}     # fixed, so one copy runs at a time; better: {{free_port}} in its\n"
        "                       # command or env, and ready: 'port {{free_port}}'\n",
        *facts.port);
  }
  return text +
         "  until: quiet 3s      # over when nothing came for so long\n"
         "  # drive: npm test    # what makes it act, where it does not by itself\n";
}

// A host that is stood in for is the vendor's, so it stands with what plays the vendor.
std::string api_text(const InitFacts& facts) {
  if (facts.intercept.empty()) {
    return facts.api.empty() ? "" : "\napi: " + yaml_word(facts.api) + "\n";
  }
  std::vector<std::string> hosts;
  for (const auto& host : facts.intercept) hosts.push_back(yaml_word(host));
  return fmt::format("\napi: {{from: {}, intercept: [{}]}}\n",
                     yaml_word(facts.api.empty() ? "any" : facts.api), fmt::join(hosts, ", "));
}

std::string call_of(const server::Exchange& exchange) {
  return printable(exchange.request.method + " " + exchange.request.path);
}

std::string keys_seen(const std::vector<const server::Exchange*>& unsafe) {
  const auto keyed = std::ranges::count_if(
      unsafe, [](const server::Exchange* exchange) { return !exchange->request.key.empty(); });
  if (unsafe.empty()) return {};
  return keyed == 0 ? "#   no idempotency key was sent\n"
                    : fmt::format("#   an idempotency key came with {} of {} unsafe calls\n", keyed,
                                  unsafe.size());
}

std::string reference_seen(const std::vector<const server::Exchange*>& unsafe) {
  for (const auto* exchange : unsafe) {
    if (exchange->request.reference.empty()) continue;
    for (const auto& member : exchange->request.members) {
      for (const char* name :
           {"reference", "client_reference", "external_reference", "external_id"}) {
        if (member.name == name) return fmt::format("#   its bodies carry a reference: {}\n", name);
      }
    }
  }
  return {};
}

std::string ending_of(const client_tests::Recording& control) {
  if (control.processes.empty()) return {};
  const auto& process = control.processes.front();
  if (process.stop == client_tests::Stop::Exited) {
    return fmt::format(", exit code {}", process.exit_code);
  }
  return ", ended by mishap";
}

std::string facts_text(const client_tests::Recording& control) {
  std::map<std::string, int> calls;
  std::vector<std::string> order;
  std::vector<const server::Exchange*> unsafe;
  for (const auto& exchange : control.journal.exchanges) {
    const auto call = call_of(exchange);
    if (++calls[call] == 1) order.push_back(call);
    if (!exchange.safe) unsafe.push_back(&exchange);
  }
  std::string text = fmt::format(
      "\n# The healthy run: {} request{} in {:.1f} s{}\n", control.journal.exchanges.size(),
      control.journal.exchanges.size() == 1 ? "" : "s",
      std::chrono::duration<double>(control.length).count(), ending_of(control));
  for (std::size_t i = 0; i < std::min(order.size(), kMostCalls); ++i) {
    text += fmt::format("#   {}{}\n", order[i],
                        calls[order[i]] == 1 ? "" : fmt::format(" x{}", calls[order[i]]));
  }
  if (order.size() > kMostCalls)
    text += fmt::format("#   and {} more\n", order.size() - kMostCalls);
  return text + keys_seen(unsafe) + reference_seen(unsafe);
}

// A good day shows no timeout and no retry, so nothing is promised for anybody.
std::string promise_text() {
  std::string text =
      "\n# What your client promises; it is judged by generous bounds until you say so. A "
      "profile:\n";
  for (const auto& profile : scenarios::profiles()) {
    text += fmt::format("# promise: {:<11} # {}\n", profile.name, profile.summary);
  }
  return text +
         "# or your own numbers: {profile: b2b, attempt_timeout: 5s, max_attempts: 4}\n"
         "\n# What mishap test runs; your own scenarios beside it: [core, ./scenarios]\n"
         "# scenarios: [core]\n";
}

}  // namespace

std::string project_text(const InitFacts& facts, const client_tests::Recording& control) {
  std::string text =
      "# Written by mishap init from one healthy run. `mishap test` uses it by itself, in this\n"
      "# folder and below; the command line wins over it.\n"
      "mishap: 1\n\nclient:\n";
  text += command_text(facts.client) + environment_text(facts) + service_text(facts);
  return text + api_text(facts) + facts_text(control) + promise_text();
}

}  // namespace mishap::cli
