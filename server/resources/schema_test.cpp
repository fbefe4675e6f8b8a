#include "server/resources/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

Node scalar(const std::string& text) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = text;
  return node;
}

Node map(std::vector<std::pair<std::string, Node>> members) {
  Node node;
  node.kind = Node::Kind::Map;
  for (auto& [name, value] : members) node.members.emplace_back(scalar(name), std::move(value));
  return node;
}

Node list(const std::vector<std::string>& texts) {
  Node node;
  node.kind = Node::Kind::List;
  for (const std::string& text : texts) node.items.push_back(scalar(text));
  return node;
}

Node booking_schema() {
  return map({{"type", scalar("object")},
              {"required", list({"reference"})},
              {"properties",
               map({{"reference", map({{"type", scalar("string")}, {"minLength", scalar("1")}})},
                    {"size", map({{"enum", list({"small", "large"})}})},
                    {"who", map({{"type", scalar("object")},
                                 {"properties",
                                  map({{"age", map({{"type", scalar("integer")}})}})}})}})}});
}

struct SchemaCase {
  std::string json;
  std::string complaint;  // starts so; empty: none
};

class Schema : public testing::TestWithParam<SchemaCase> {};

TEST_P(Schema, NamesTheMemberThatIsWrong) {
  const ItemSchema schema(booking_schema());
  ASSERT_TRUE(schema.exists());
  const auto complaint = schema.complaint(JsonValue::parse(GetParam().json));
  EXPECT_EQ(complaint.has_value(), !GetParam().complaint.empty()) << GetParam().json;
  EXPECT_THAT(complaint.value_or(""), testing::HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(Table, Schema,
                         testing::Values(SchemaCase{R"({"reference":"R","extra":1})", ""},
                                         SchemaCase{R"({})", "reference"},
                                         SchemaCase{R"({"reference":7})", "reference:"},
                                         SchemaCase{R"({"reference":""})", "reference:"},
                                         SchemaCase{R"({"reference":"R","size":"huge"})", "size:"},
                                         SchemaCase{R"({"reference":"R","who":{"age":"old"}})",
                                                    "who.age:"},
                                         SchemaCase{R"([])", "the body:"}));

TEST(Schema, IsNotThereForNull) {
  EXPECT_FALSE(ItemSchema(Node{}).exists());
  EXPECT_FALSE(ItemSchema(Node{}).complaint(JsonValue::parse("[]")));
}

}  // namespace
}  // namespace mishap::server
