#include <string>

#include "cmake/fuzz/fuzz.h"
#include "mishap/confined.h"
#include "mishap/server.h"

// The text of a scenario as a stranger sends it: no file is opened; either something is wrong and
// can be shown, or there is a scenario that the catalogue of faults can be asked about.
namespace mishap {
namespace {

using fuzz::hold;
using scenarios::Loaded;
using scenarios::Scenario;

// What a person is shown of it, in one text.
std::string rendered(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    hold(!diagnostic.message.empty(), "what is wrong is said");
    text += render(diagnostic);
  }
  return text;
}

void check_scenario_of_a_stranger(const Scenario& scenario) {
  hold(!scenario.name.empty() && !scenario.apis.empty(), "a scenario has a name and an api");
  for (const scenarios::Api& api : scenario.apis) {
    hold(!api.upstream, "a stranger names no upstream");
    hold(!api.tls || api.tls->ca_out.empty(), "a stranger has no file written");
  }
  for (const scenarios::FaultRule& rule : scenario.rules) {
    hold(!rule.name.empty() && !rule.fault.empty(), "a rule has a name and a fault");
    server::may_be_ambiguous(rule);
  }
}

void check(const std::string& text) {
  const auto load = [&] { return scenarios::load_confined_text("yaml", text, "", {}); };
  const Loaded loaded = load();
  hold(loaded.scenario.has_value() == !has_errors(loaded.diagnostics),
       "there is a scenario or an error");
  const std::string told = rendered(loaded.diagnostics);
  hold(rendered(load().diagnostics) == told, "the same text is told the same");
  if (loaded.scenario) {
    check_scenario_of_a_stranger(*loaded.scenario);
    rendered(server::check_scenario(*loaded.scenario));
  }
  if (loaded.partial) rendered(server::check_scenario(*loaded.partial));
}

}  // namespace
}  // namespace mishap

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::check(std::string(mishap::fuzz::text_of(data, size)));
  return 0;
}
