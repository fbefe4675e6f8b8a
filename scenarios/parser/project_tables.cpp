#include <vector>

#include "scenarios/parser/tables.h"

// The words of mishap.yaml. A client has those of a scenario's client as well.
namespace mishap::scenarios {
namespace {

// clang-format off
constexpr KeySpec kProject[] = {
    {"mishap", Shape::VersionNumber, "number", "required", "1", "Version of the language."},
    {"api", Shape::ApiForm, "api", "the scenario's", "./api.yaml", "The vendor, where a scenario of your own names none, and in place of a shipped scenario's `any`. A shipped name, a path, or a map."},
    {"apis", Shape::ApisMap, "map of apis", "", "{pay: booking, crm: ./crm.yaml}", "Several vendors at once, by name."},
    {"params", Shape::ParamsMap, "map", "", "{create: POST /orders}", "Values of the scenarios' `params`, like `--set`."},
    {"promise", Shape::PromiseForm, "profile or map", "", "b2b", "What the clients claim."},
    {"client", Shape::ProjectClient, "map", "", "{command: python3 sync.py}", "The client, where there is one."},
    {"clients", Shape::ProjectClients, "map of clients", "", "{sync: {command: python3 sync.py}}", "Clients by name; `--client NAME` chooses one of several."},
    {"scenarios", Shape::Texts, "list of texts", "[core]", "[core, ./scenarios]", "What `mishap test` runs where it is told nothing: packs, scenarios, files, folders."},
    {"jobs", Shape::WholeNumber, "number", "8", "4", "Scenarios side by side."},
    {"known", Shape::KnownList, "list of known findings", "", "see below", "Fails that are accepted for a while."},
};

constexpr KeySpec kPromiseOfClient = {"promise", Shape::PromiseForm, "profile or map", "the project's", "b2b", "What this client claims, over the project's."};
// clang-format on

}  // namespace

const KeyTable& project_keys() {
  static constexpr KeyTable kTable{
      "project", "mishap.yaml", "Paths begin in the folder of the file, and its clients run there.",
      kProject};
  return kTable;
}

const KeyTable& project_client_keys() {
  static const std::vector<KeySpec> kKeys = [] {
    std::vector<KeySpec> keys;
    for (const KeySpec& key : client_keys().keys) {
      if (key.name != "copies") keys.push_back(key);
    }
    keys.push_back(kPromiseOfClient);
    return keys;
  }();
  static const KeyTable kTable{"project_client", "A client of mishap.yaml", "", kKeys};
  return kTable;
}

}  // namespace mishap::scenarios
