#include "client-tests/driver/controls.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mishap/server.h"

namespace mishap::client_tests {
namespace {

std::string matcher_print(const scenarios::Matcher& matcher) {
  std::string print = matcher.text + '|';
  for (const auto* pairs : {&matcher.headers, &matcher.query, &matcher.body}) {
    for (const auto& pair : *pairs) print += pair.name + '=' + pair.value + '&';
  }
  return print;
}

std::string resource_print(const scenarios::Resource& resource) {
  auto print = fmt::format("{} {} {} {} {} {} {} {} {} {} ", resource.name, resource.path,
                           resource.id_prefix, resource.id_field, resource.reference,
                           resource.unique_reference, resource.idempotency.enabled,
                           resource.idempotency.header, resource.idempotency.required,
                           static_cast<int>(resource.idempotency.replay));
  for (const auto verb : resource.verbs) print += std::to_string(static_cast<int>(verb));
  for (const auto& item : resource.items) print += to_json(item);
  return print + to_json(resource.schema);
}

std::string route_print(const scenarios::Route& route) {
  auto print = matcher_print(route.on) + std::to_string(route.status) + route.body.value_or("");
  for (const auto& header : route.headers) print += header.name + ':' + header.value;
  return print;
}

// All that decides how a vendor answers while it is well, as one text to compare.
std::string vendor_print(const scenarios::Scenario& scenario) {
  std::string print;
  for (const auto& api : scenario.apis) {
    print += fmt::format("{} {} {} {} {} {}\n", api.name, api.any_path, api.operation_from,
                         api.auth.required, api.limits.body, api.limits.head);
    if (api.tls) print += fmt::format("tls {}\n", fmt::join(api.tls->names, " "));
    for (const auto& host : api.intercept) print += fmt::format("intercept {}\n", host.text());
    if (api.upstream) print += api.upstream->url() + ' ' + api.upstream->ca + '\n';
    for (const auto& resource : api.resources) print += resource_print(resource) + '\n';
    for (const auto& route : api.routes) print += route_print(route) + '\n';
    for (const auto& path : api.safe_posts) print += path + '\n';
  }
  return print;
}

// Counters that hang on the client's habits alone: a client that never sends a second request on a
// connection gives no occasion for a fault on the second one.
bool reaches(const scenarios::When& when, const server::Exchange& exchange) {
  const auto& count = when.request_on_connection;
  return !count || count->every != 0 || exchange.on_connection >= count->first;
}

// When the span of a rule begins on the scenario's clock; nothing where it has none.
std::optional<Duration> begin_of(const scenarios::When& when,
                                 const std::vector<scenarios::Phase>& timeline) {
  if (when.during) return when.during->first;
  Duration begin{};
  for (const scenarios::Phase& phase : timeline) {
    if (phase.name == when.during_phase) return begin;
    begin += phase.length;
  }
  return std::nullopt;
}

// The scenario's clock starts with the first connection.
Duration clock_start(const Recording& control) {
  const auto& all = control.journal.connections;
  const auto first = std::ranges::min_element(all, {}, &server::Connection::accepted);
  return first == all.end() ? Duration{} : first->accepted;
}

bool is_call(const server::Exchange& exchange) {
  return exchange.role != server::Role::Unmatched && exchange.role != server::Role::Rejected;
}

bool is_of_a_service(const Recording& recording) {
  return !recording.processes.empty() && recording.processes.front().role == ProcessRole::Service;
}

// Paths may hold what a client draws at random, so calls are compared by method and answer.
std::map<std::string, int> calls_of(const Recording& recording) {
  std::map<std::string, int> calls;
  for (const auto& exchange : recording.journal.exchanges) {
    int& times =
        calls[fmt::format("{} answered {}", exchange.request.method, exchange.answer.status)];
    // How often a service polls is a matter of time and chance.
    times = exchange.safe && is_of_a_service(recording) ? 1 : times + 1;
  }
  return calls;
}

std::string ending_of(const ProcessFacts& process) {
  const bool is_service = process.role == ProcessRole::Service;
  if (process.stop == Stop::Stopped) return "mishap's signal";
  if (process.stop != Stop::Exited) return std::string(to_string(process.stop));
  return fmt::format("exit code {}{}", process.exit_code, is_service ? " of its own accord" : "");
}

std::string ending_of(const Recording& recording) {
  if (!recording.trouble.empty()) return recording.trouble;
  if (!recording.drives.empty() && !succeeded(recording.drives.front())) {
    return "a drive that " + how_it_ended(recording.drives.front());
  }
  if (recording.processes.empty()) return "not observed";
  return ending_of(recording.processes.front());
}

// What drives a service talks to it, which is no address to wonder about.
bool is_of_the_service(const std::string& address, const Recording& control) {
  return std::ranges::any_of(control.processes, [&](const ProcessFacts& process) {
    return std::ranges::any_of(
        process.listening, [&](Port port) { return address.ends_with(fmt::format(":{}", port)); });
  });
}

std::string address_list(const Recording& control) {
  std::vector<std::string> all;
  for (const auto& process : control.processes) {
    all.insert(all.end(), process.foreign_addresses.begin(), process.foreign_addresses.end());
  }
  for (const auto& drive : control.drives) {
    std::ranges::copy_if(
        drive.foreign_addresses, std::back_inserter(all),
        [&](const std::string& address) { return !is_of_the_service(address, control); });
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string silence_text(const Recording& control, Duration patience) {
  const bool is_service = is_of_a_service(control);
  const bool ended = !control.processes.empty() && control.processes.front().stop == Stop::Exited;
  if (is_service && !ended) {
    if (control.drives.empty()) return "the service sent no request, so nothing can be judged";
    return fmt::format("the service sent no request, so nothing can be judged: its drive ({}) {}",
                       control.drives.front().what, how_it_ended(control.drives.front()));
  }
  if (ended) {
    return fmt::format("the {} ended with {} and sent no request, so nothing can be judged",
                       is_service ? "service" : "client", ending_of(control.processes.front()));
  }
  return fmt::format(
      "no request came within {} and the client did not end, so nothing can be "
      "judged",
      format_duration(patience));
}

// At the proxy.
std::string turned_away(const Recording& control) {
  for (const server::Connection& connection : control.journal.connections) {
    if (connection.api.empty()) return connection.asked_for;
  }
  return {};
}

std::string tls_failure(const Recording& control) {
  for (const server::Connection& connection : control.journal.connections) {
    if (connection.tls && !connection.tls->failure.empty()) return connection.tls->failure;
  }
  return {};
}

}  // namespace

scenarios::Scenario control_of(const scenarios::Scenario& scenario, const std::string& name) {
  scenarios::Scenario control;
  control.name = name;
  control.summary = "Nothing goes wrong: what this client does on a good day.";
  control.apis = scenario.apis;
  control.promise = scenario.promise;
  control.client = scenario.client;
  control.client.copies = 1;
  control.client.share_state = false;
  control.path = scenario.path;
  return control;
}

bool same_vendor(const scenarios::Scenario& a, const scenarios::Scenario& b) {
  return vendor_print(a) == vendor_print(b);
}

std::vector<std::string> why_nothing_came(const Recording& control, Duration patience) {
  if (!control.trouble.empty()) {
    return {control.trouble,
            fmt::format("so nothing can be judged; {} came to the mock until then",
                        control.journal.exchanges.size() == 1
                            ? std::string("1 request")
                            : fmt::format("{} requests", control.journal.exchanges.size()))};
  }
  if (!control.journal.exchanges.empty()) return {};
  std::vector<std::string> lines{silence_text(control, patience)};
  if (const auto addresses = address_list(control); !addresses.empty()) {
    lines.push_back("the client opened a connection to " + addresses +
                    " instead: does it read its base URL from somewhere else?");
  }
  if (const auto host = turned_away(control); !host.empty()) {
    lines.push_back("the client asked the proxy for " + host +
                    ", which nothing stands in for: --intercept takes the name of a host");
    return lines;
  }
  if (const auto failure = tls_failure(control); !failure.empty()) {
    lines.push_back("it came, and TLS failed: " + failure);
    lines.push_back("the client must trust the file that MISHAP_CA names, as in  --cacert {ca}");
    return lines;
  }
  lines.push_back(
      "try:  --env VENDOR_URL={url}  or {url} as an argument of the client, by whatever name it "
      "reads");
  return lines;
}

std::vector<std::string> why_upstream_failed(const Recording& control) {
  for (const auto& exchange : control.journal.exchanges) {
    const auto& failure = exchange.upstream.failure;
    if (failure.empty()) continue;
    return {"the upstream gave no answer in the healthy control, so nothing can be judged: " +
            failure};
  }
  return {};
}

std::string difference(const Recording& alone, const Recording& beside) {
  if (ending_of(alone) != ending_of(beside)) {
    return fmt::format("alone it ended with {}, beside a second one with {}", ending_of(alone),
                       ending_of(beside));
  }
  const auto calls_alone = calls_of(alone);
  const auto calls_beside = calls_of(beside);
  if (calls_alone == calls_beside) return {};
  const auto describe = [](const std::map<std::string, int>& calls) {
    std::string text;
    for (const auto& [call, count] : calls) {
      text += fmt::format("{}{} x{}", text.empty() ? "" : ", ", call, count);
    }
    return text.empty() ? std::string("nothing") : text;
  };
  return fmt::format("alone it sent {}; beside a second one {}", describe(calls_alone),
                     describe(calls_beside));
}

// A rule about the second create does not concern a client that makes one.
bool reaches_far_enough(const scenarios::FaultRule& rule, const Recording& control) {
  if (!rule.when.op) return true;
  std::set<std::uint64_t> operations;
  for (const server::Exchange& exchange : control.journal.exchanges) {
    if (!is_call(exchange) || !server::matches(rule.on, exchange)) continue;
    if (exchange.identity.operation != 0) operations.insert(exchange.identity.operation);
    for (const auto& item : exchange.items) operations.insert(item.identity.operation);
  }
  return operations.size() >= std::max(rule.when.op->first, rule.when.op->every);
}

bool mark_called(const scenarios::Scenario& scenario, const Recording& control,
                 std::vector<RuleFacts>& rules) {
  bool any = scenario.rules.empty();
  const Duration start = clock_start(control);
  for (std::size_t i = 0; i < scenario.rules.size() && i < rules.size(); ++i) {
    const auto& rule = scenario.rules[i];
    // A rule of the tenth second does not concern a client that is done within one.
    const Duration begin = begin_of(rule.when, scenario.timeline).value_or(Duration{});
    rules[i].called_in_control =
        std::ranges::any_of(control.journal.exchanges, [&](const server::Exchange& exchange) {
          return is_call(exchange) && exchange.first_byte - start >= begin &&
                 reaches(rule.when, exchange) && server::matches(rule.on, exchange);
        });
    if (!reaches_far_enough(rule, control)) rules[i].called_in_control = false;
    any |= rules[i].called_in_control;
  }
  return any;
}

}  // namespace mishap::client_tests
