#include "client-tests/driver/client_plan.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "mishap/local_url.h"

namespace mishap::client_tests {
namespace {

using scenarios::Client;
using scenarios::CommandLine;

std::vector<const CommandLine*> commands_of(const Client& client) {
  std::vector<const CommandLine*> commands{&client.command, &client.before, &client.after,
                                           &client.replay};
  if (client.drive) commands.push_back(&client.drive->command);
  return commands;
}

void add_values(const std::vector<NameValue>& from, std::vector<std::string>& texts) {
  for (const auto& one : from) texts.push_back(one.value);
}

// All in which {url} and the like may stand.
std::vector<std::string> texts_of(const Client& client) {
  std::vector<std::string> texts;
  for (const auto* command : commands_of(client)) {
    texts.insert(texts.end(), command->begin(), command->end());
  }
  add_values(client.environment, texts);
  if (client.ready) texts.push_back(client.ready->text);
  if (client.drive) {
    texts.push_back(client.drive->url);
    texts.push_back(client.drive->body);
    add_values(client.drive->headers, texts);
  }
  return texts;
}

tl::expected<void, Error> check_program(const std::string& what, const CommandLine& command,
                                        const std::string& folder) {
  if (command.empty()) return {};
  LaunchSpec spec;
  spec.command = command;
  spec.working_folder = folder;
  const bool named_by_template = command.front().find('{') != std::string::npos;
  auto found = find_client(spec);
  if (found || named_by_template) return {};
  if (!what.empty()) found.error().message = what + ": " + found.error().message;
  return tl::unexpected(found.error());
}

CommandLine expanded(const CommandLine& command, const CopyContext& context) {
  CommandLine words;
  for (const auto& word : command) words.push_back(expand(word, context));
  return words;
}

tl::unexpected<Error> refused(const std::string& what, const std::string& why,
                              const SourceSpan& span) {
  return tl::unexpected(Error{ErrorCode::BadInput, what + ": " + why, span, {}});
}

tl::expected<ServiceSpec, Error> service_of(const Client& client, const CopyContext& context) {
  ServiceSpec spec;
  spec.ready_within = client.ready_within.value_or(scenarios::kReadyWithin);
  if (client.stop) spec.stop = *client.stop;
  if (client.ready) {
    spec.ready = client.ready;
    const bool is_url = spec.ready->kind == scenarios::Ready::Kind::Url;
    // A brace in a pattern counts repetitions.
    if (spec.ready->kind != scenarios::Ready::Kind::Log) {
      spec.ready->text = expand(spec.ready->text, context);
    }
    const auto url = scenarios::read_local_url(spec.ready->text);
    if (is_url && !url) return refused("ready", url.error(), client.ready->span);
  }
  if (!client.drive) return spec;
  spec.drive = client.drive;
  spec.drive->command = expanded(client.drive->command, context);
  spec.drive->url = expand(client.drive->url, context);
  spec.drive->body = expand(client.drive->body, context);
  for (auto& field : spec.drive->headers) field.value = expand(field.value, context);
  if (!spec.drive->command.empty()) return spec;
  const auto url = scenarios::read_local_url(spec.drive->url);
  if (!url) return refused("drive", url.error(), client.drive->span);
  return spec;
}

// Each is told to the client, which may use it in its data.
void add_sensitive(const Client& client, LaunchSpec& spec) {
  spec.sensitive = client.sensitive;
  for (const auto& [name, text] : client.sensitive) {
    std::string variable = "MISHAP_SENSITIVE_";
    for (const char c : name) {
      variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    spec.environment.push_back({std::move(variable), text});
  }
}

constexpr std::string_view kInState = "{state}/";

// Files of the working folder are shared by all copies: the first one's look finds them.
std::vector<LogPattern> log_patterns(const Client& client, const CopyContext& context) {
  std::vector<LogPattern> patterns;
  for (const std::string& pattern : client.logs) {
    if (pattern.starts_with(kInState)) {
      patterns.push_back({context.state, pattern.substr(kInState.size())});
    } else if (context.copy == 0) {
      patterns.push_back({context.working_folder.empty() ? "." : context.working_folder, pattern});
    }
  }
  return patterns;
}

}  // namespace

bool logs_beside_others(const Client& client) {
  return std::ranges::any_of(
      client.logs, [](const std::string& pattern) { return !pattern.starts_with(kInState); });
}

ClientClaims claims_of(const Client& client) {
  ClientClaims claims;
  claims.logs = client.logs;
  claims.json_logs = client.json_logs;
  for (const auto& one : client.sensitive) claims.sensitive.push_back(one.name);
  claims.dead_letters = !client.dead_letters.empty();
  claims.telemetry = !client.telemetry.empty();
  return claims;
}

Client client_of(const scenarios::Scenario& scenario, const TestOptions& options) {
  auto client = scenarios::laid_over(options.client, scenario.client);
  if (options.kill_after) client.kill_after = options.kill_after;
  if (scenario.then && !scenario.then->run.empty()) client.replay = scenario.then->run;
  return client;
}

tl::expected<void, Error> check_client(const Client& client, const scenarios::Scenario& scenario,
                                       const std::string& folder) {
  if (client.command.empty()) {
    return tl::unexpected(Error{ErrorCode::BadInput,
                                "no client: neither the scenario nor the command line says how it "
                                "is started",
                                client.span,
                                "put its command after --, or say client: {command: ./client}"});
  }
  if (auto missing = scenarios::what_is_missing(client); !missing.empty()) {
    return tl::unexpected(Error{ErrorCode::BadInput, std::move(missing), client.span, {}});
  }
  if (auto known = check_templates(texts_of(client), {scenario}); !known) return known;
  if (auto found = check_program("", client.command, folder); !found) return found;
  if (auto found = check_program("before", client.before, folder); !found) return found;
  if (auto found = check_program("after", client.after, folder); !found) return found;
  if (auto found = check_program("replay", client.replay, folder); !found) return found;
  return client.drive ? check_program("drive", client.drive->command, folder)
                      : tl::expected<void, Error>();
}

bool makes_its_own_url(const Client& client) {
  return std::ranges::any_of(texts_of(client), [](const std::string& text) {
    return text.find("{port}") != std::string::npos;
  });
}

std::string client_print(const Client& client) {
  auto print = fmt::format("{} ", scenarios::is_service(client));
  for (const auto* command : commands_of(client)) {
    print += fmt::format("{}:{}\n", command->size(), fmt::join(*command, "\n"));
  }
  for (const auto& one : client.environment) print += one.name + '=' + one.value + '\n';
  if (client.ready)
    print += std::to_string(static_cast<int>(client.ready->kind)) + client.ready->text;
  if (client.drive) {
    print += client.drive->method + ' ' + client.drive->url + '\n' + client.drive->body + '\n';
    for (const auto& one : client.drive->headers) print += one.name + ':' + one.value + '\n';
  }
  if (client.until && client.until->quiet) print += format_duration(*client.until->quiet);
  if (client.stop) print += client.stop->signal + format_duration(client.stop->grace);
  if (client.kill_after) print += "kill " + format_duration(*client.kill_after);
  for (const auto& one : client.sensitive) print += one.name + '=' + one.value + '\n';
  return print;
}

std::vector<std::string> stored_command(const Client& client) {
  LaunchSpec spec;
  spec.command = client.command;
  spec.environment = client.environment;
  return masked_command(spec);
}

tl::expected<LifeSpec, Error> life_of(const Client& client, const CopyContext& context,
                                      const std::vector<Port>& server_ports) {
  LifeSpec life;
  life.client.copy = context.copy;
  life.client.command = expanded(client.command, context);
  life.client.environment = environment_of(context, client.environment);
  life.client.unset = proxy_variables();
  life.client.outcomes_file = context.outcomes;
  life.client.server_ports = server_ports;
  life.client.canary = context.token;
  add_sensitive(client, life.client);
  life.client.logs = log_patterns(client, context);
  life.before = expanded(client.before, context);
  life.after = expanded(client.after, context);
  life.again = expanded(client.replay, context);
  life.state = context.state;
  if (!scenarios::is_service(client)) return life;
  auto service = service_of(client, context);
  if (!service) return tl::unexpected(service.error());
  life.service = std::move(*service);
  life.client.role = ProcessRole::Service;
  if (life.service->ready && life.service->ready->kind == scenarios::Ready::Kind::Log) {
    // Compiled when it was read.
    if (auto line = scenarios::LinePattern::compile(life.service->ready->text)) {
      life.client.ready_line = *line;
    }
  }
  return life;
}

}  // namespace mishap::client_tests
