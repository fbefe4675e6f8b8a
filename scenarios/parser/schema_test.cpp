#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mishap/scenario.h"
#include "scenarios/parser/tables.h"

namespace mishap::scenarios {
namespace {

using Json = nlohmann::json;

const std::vector<ParamSpec> kFaultParams{
    {"for", ParamType::Duration, "", true, "", "", "How long."}};
const std::vector<CatalogueEntry> kFaults{{"latency", "Late.", kFaultParams, "0.1", {}}};
const std::vector<CatalogueEntry> kChecks{{"no_duplicates", "None twice.", {}, "0.1", {}}};

Json schema() {
  return Json::parse(json_schema(kFaults, kChecks));
}

// Every "$ref" in the tree.
void collect_references(const Json& node, std::vector<std::string>& into) {
  if (node.is_object() && node.contains("$ref")) into.push_back(node["$ref"]);
  if (node.is_structured()) {
    for (const Json& child : node) collect_references(child, into);
  }
}

TEST(Schema, HasEveryKeyOfTheTables) {
  const Json defs = schema()["$defs"];
  for (const KeyTable* table : all_key_tables()) {
    const std::string id(table->id);
    const std::string text = defs.at(id).dump();
    for (const KeySpec& key : table->keys) {
      EXPECT_NE(text.find("\"" + std::string(key.name) + "\":{"), std::string::npos)
          << id << "." << key.name;
    }
  }
}

TEST(Schema, RefersOnlyToWhatIsThere) {
  const Json whole = schema();
  std::vector<std::string> references;
  collect_references(whole, references);
  EXPECT_GT(references.size(), 20U);
  for (const std::string& reference : references) {
    EXPECT_TRUE(whole.contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
}

TEST(Schema, TakesFaultsAndChecksFromTheCatalogues) {
  const Json defs = schema()["$defs"];
  EXPECT_EQ(defs["fault"]["anyOf"][0]["enum"], Json::array({"latency"}));
  EXPECT_EQ(defs["fault"]["anyOf"][1]["required"], Json::array({"kind", "for"}));
  EXPECT_TRUE(defs["expect"]["properties"].contains("no_duplicates"));
  EXPECT_EQ(defs["expect"]["additionalProperties"], false);
}

}  // namespace
}  // namespace mishap::scenarios
