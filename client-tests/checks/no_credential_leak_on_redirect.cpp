#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/redirects.h"
#include "client-tests/checks/tally.h"

// Secrets stay with the origin that they are for.
namespace mishap::client_tests {

namespace {

using server::Exchange;

constexpr std::array<std::string_view, 5> kFields = {"authorization", "proxy-authorization",
                                                     "cookie", "idempotency-key", "x-api-key"};

bool equals(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

// Names only: values of secrets are not kept.
std::string leaked(const Exchange& exchange) {
  std::string names;
  for (const server::KeptField& field : exchange.request.headers) {
    const bool is_listed = std::ranges::any_of(
        kFields, [&](std::string_view name) { return equals(field.name, name); });
    if (field.secret || is_listed) names += (names.empty() ? "" : ", ") + field.name;
  }
  // How the journal shows a query parameter that carries a secret.
  if (exchange.request.target.find("=sha256:") != std::string::npos) {
    names += std::string(names.empty() ? "" : ", ") + "a secret in the URL";
  }
  return names;
}

void judge(const Exchange& from, const Exchange& to, Tally& tally) {
  const std::string names = leaked(to);
  Witness cited =
      said(fmt::format("#{} of {} was redirected to {}: #{} carries {}", from.number, from.api,
                       to.api, to.number, names.empty() ? "no credential" : names));
  cited.exchanges = {from.number, to.number};
  names.empty() ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  for (const RedirectChain& chain : followed_redirects(c.recording)) {
    for (std::size_t i = 1; i < chain.exchanges.size(); ++i) {
      const Exchange& origin = *chain.exchanges.front();
      const Exchange& to = *chain.exchanges[i];
      if (to.api != origin.api) judge(*chain.exchanges[i - 1], to, tally);
    }
  }
  return tally.settle(
      {.failed = "credentials are sent to another origin",
       .reason = "A redirect took the client's secrets to whoever it named.",
       .held = counted(tally.judged(), "request") + " elsewhere without credentials",
       .none = "no redirect was followed to another origin"});
}

}  // namespace

const CheckDescriptor kNoCredentialLeakOnRedirect = {
    .name = "no_credential_leak_on_redirect",
    .summary = "secrets stay with the origin that they are for",
    .rule =
        "no Authorization, Cookie, key or API key, and no secret in the URL, in a request that a "
        "redirect led to another origin",
    .judged = "redirects to another api of the run that the client followed",
    .why = "Whoever can make the vendor answer with a redirect collects your tokens.",
    .change =
        "Drop credentials when scheme, host or port changes; most libraries do, unless the header "
        "is set for the whole session.",
    .source = "RFC 9110 section 15.4; OWASP, unvalidated redirects",
    .since = "0.1",
    .severity = 80,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
