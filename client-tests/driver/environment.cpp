#include "client-tests/driver/environment.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <random>

namespace mishap::client_tests {
namespace {

// MISHAP_URL_NAME: what an environment variable may be called.
std::string variable_suffix(const std::string& api) {
  std::string suffix;
  for (const char c : api) {
    const auto byte = static_cast<unsigned char>(c);
    suffix += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return suffix;
}

constexpr std::string_view kUrlOf = "{url_";

std::string url_placeholder(const std::string& api) {
  return std::string(kUrlOf) + api + "}";
}

std::vector<std::pair<std::string, std::string>> values_of(const CopyContext& context) {
  const bool served = !context.addresses.empty();
  std::vector<std::pair<std::string, std::string>> values = {
      {"{url}", served ? context.addresses.front().url : std::string()},
      {"{port}", served ? std::to_string(context.addresses.front().port) : std::string()},
      {"{token}", context.token},
      {"{scenario}", context.scenario},
      {"{copy}", std::to_string(context.copy)},
      {"{outcomes}", context.outcomes},
      {"{state}", context.state},
      {"{ca}", context.ca},
      {"{proxy}", context.proxy},
      {"{free_port}", std::to_string(context.free_port)},
  };
  for (const auto& address : context.addresses) {
    values.emplace_back(url_placeholder(address.api), address.url);
  }
  return values;
}

bool may_be_in_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

// "{url_pay}" at this place; empty: there are other braces.
std::string_view url_placeholder_at(std::string_view text, std::size_t at) {
  const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at + kUrlOf.size()),
                                    text.end(), may_be_in_a_name);
  if (end == text.end() || *end != '}') return {};
  return text.substr(at, static_cast<std::size_t>(end - text.begin()) + 1 - at);
}

tl::expected<void, Error> check_urls(const std::string& text, const scenarios::Scenario& scenario) {
  std::vector<std::string> known;
  for (const auto& api : scenario.apis) known.push_back(url_placeholder(api.name));
  for (auto at = text.find(kUrlOf); at != std::string::npos; at = text.find(kUrlOf, at + 1)) {
    const std::string name(url_placeholder_at(text, at));
    if (name.empty() || std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (const auto& one : known) list += (list.empty() ? "" : ", ") + one;
    return tl::unexpected(
        Error{ErrorCode::BadInput,
              "\"" + text + "\": scenario " + scenario.name + " has no api for " + name,
              {},
              "known are {url} (the first) and " + list});
  }
  return {};
}

tl::expected<void, Error> check_ca(const std::string& text, const scenarios::Scenario& scenario) {
  if (text.find("{ca}") == std::string::npos) return {};
  const bool speaks_tls = std::ranges::any_of(
      scenario.apis, [](const auto& api) { return api.tls.has_value() || !api.intercept.empty(); });
  if (speaks_tls) return {};
  return tl::unexpected(Error{ErrorCode::BadInput,
                              "\"" + text + "\": scenario " + scenario.name +
                                  " has no value for {ca}, since its api speaks plain HTTP",
                              {},
                              "add \"tls: true\" to the api"});
}

// Whom no proxy is to be asked for: a listener with an address of its own (server/wire/loopback.h)
// is not in anybody's list.
void keep_direct(const CopyContext& context, std::vector<NameValue>& variables) {
  std::string own;
  for (const auto& address : context.addresses) {
    const std::size_t begin = address.url.find("//") + 2;
    const std::string host = address.url.substr(begin, address.url.rfind(':') - begin);
    if (host.starts_with("127.") && host != "127.0.0.1") own += "," + host;
  }
  if (own.empty() && context.proxy.empty()) return;
  const bool keeps_users = context.proxy.empty() && !context.no_proxy.empty();
  const std::string before = keeps_users ? context.no_proxy : "127.0.0.1,localhost,::1";
  for (const auto* name : {"NO_PROXY", "no_proxy"}) variables.push_back({name, before + own});
}

// For a client whose base URL cannot be changed: everything that it says goes to the run's proxy,
// and the authority of its answers is the one that every common library is told of. What the child
// of a client starts is told as well, and nobody else.
void add_proxy(const CopyContext& context, std::vector<NameValue>& variables) {
  if (context.proxy.empty()) return;
  for (const auto* name : {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}) {
    variables.push_back({name, context.proxy});
  }
  variables.push_back({"NODE_USE_ENV_PROXY", "1"});  // from Node 24 on
  // OpenSSL (and with it Python's ssl, Go, Ruby, Rust), curl, requests, Node, the AWS SDKs, Deno.
  for (const auto* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
                           "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE", "DENO_CERT"}) {
    variables.push_back({name, context.ca});
  }
}

// "https_proxy" of "HTTPS_PROXY" and the other way round; empty: this variable has one spelling.
std::string other_spelling(const std::string& name) {
  static constexpr std::array<std::string_view, 3> kOfProxies = {"http_proxy", "https_proxy",
                                                                 "no_proxy"};
  for (const auto small : kOfProxies) {
    std::string large(small);
    std::ranges::transform(large, large.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name == large) return std::string(small);
    if (name == small) return large;
  }
  return {};
}

// Some libraries read the one spelling, some the other, some both: ours of the one that the user
// did not write would contradict what is written.
void give_way(const std::vector<NameValue>& users, std::vector<NameValue>& ours) {
  const auto is_said = [&](const std::string& name) {
    return std::ranges::find(users, name, &NameValue::name) != users.end();
  };
  for (const auto& variable : users) {
    const auto other = std::ranges::find(ours, other_spelling(variable.name), &NameValue::name);
    if (other != ours.end() && !is_said(other->name)) other->value = variable.value;
  }
}

tl::expected<void, Error> check_proxy(const std::string& text,
                                      const scenarios::Scenario& scenario) {
  if (text.find("{proxy}") == std::string::npos) return {};
  if (std::ranges::any_of(scenario.apis, [](const auto& api) { return !api.intercept.empty(); })) {
    return {};
  }
  return tl::unexpected(Error{ErrorCode::BadInput,
                              "\"" + text + "\": scenario " + scenario.name +
                                  " has no value for {proxy}, since no api intercepts a host",
                              {},
                              "add --intercept HOST"});
}

bool is_free(Port port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return free;
}

}  // namespace

// One pass from left to right: a value that holds braces is not expanded again.
std::string expand(const std::string& text, const CopyContext& context) {
  const auto values = values_of(context);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = std::ranges::find_if(values, [&](const auto& value) {
      return text.compare(at, value.first.size(), value.first) == 0;
    });
    if (match == values.end()) {
      result += text[at++];
    } else {
      result += match->second;
      at += match->first.size();
    }
  }
  return result;
}

tl::expected<void, Error> check_templates(const std::vector<std::string>& texts,
                                          const std::vector<scenarios::Scenario>& scenarios) {
  static constexpr std::array<std::string_view, 1> kNotYet = {"{operations}"};
  for (const auto& text : texts) {
    for (const auto word : kNotYet) {
      if (text.find(word) == std::string::npos) continue;
      return tl::unexpected(
          Error{ErrorCode::BadInput,
                "\"" + text + "\": this version has no value for " + std::string(word),
                {},
                "known are {url}, {url_NAME}, {port}, {token}, {scenario}, {copy}, {outcomes}, "
                "{state}, {ca}, {proxy} and {free_port}"});
    }
    for (const auto& scenario : scenarios) {
      if (auto known = check_urls(text, scenario); !known) return known;
      if (auto known = check_ca(text, scenario); !known) return known;
      if (auto known = check_proxy(text, scenario); !known) return known;
    }
  }
  return {};
}

std::vector<NameValue> environment_of(const CopyContext& context,
                                      const std::vector<NameValue>& extra) {
  std::vector<NameValue> variables;
  for (std::size_t i = 0; i < context.addresses.size(); ++i) {
    const auto& address = context.addresses[i];
    if (i == 0) variables.push_back({"MISHAP_URL", address.url});
    if (context.addresses.size() > 1) {
      variables.push_back({"MISHAP_URL_" + variable_suffix(address.api), address.url});
    }
  }
  variables.push_back({"MISHAP_SCENARIO", context.scenario});
  variables.push_back({"MISHAP_COPY", std::to_string(context.copy)});
  variables.push_back({"MISHAP_OUTCOMES", context.outcomes});
  variables.push_back({"MISHAP_STATE", context.state});
  if (!context.ca.empty()) variables.push_back({"MISHAP_CA", context.ca});
  add_proxy(context, variables);
  keep_direct(context, variables);
  variables.push_back({"TMPDIR", context.scratch});
  variables.push_back({"MISHAP_TOKEN", context.token});
  auto users = extra;
  for (auto& variable : users) variable.value = expand(variable.value, context);
  give_way(users, variables);
  std::ranges::move(users, std::back_inserter(variables));
  return variables;
}

// Below the range from which the kernel serves outgoing connections and other programs' port 0: a
// port from there could be somebody else's before the service takes it.
Port free_port() {
  constexpr unsigned kFirst = 10240;
  constexpr unsigned kCount = 22000;
  std::random_device chance;  // two copies must not look in the same order
  const unsigned start = chance();
  for (unsigned i = 0; i < 200; ++i) {
    const auto port = static_cast<Port>(kFirst + (start + i) % kCount);
    if (is_free(port)) return port;
  }
  return 0;
}

}  // namespace mishap::client_tests
