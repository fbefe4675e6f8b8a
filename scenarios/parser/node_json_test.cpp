#include <gtest/gtest.h>

#include "mishap/node.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

std::string json(const std::string& text) {
  Problems problems;
  const auto node = read_yaml(make_source("t", text), problems);
  return node ? to_json(*node) : "refused";
}

TEST(NodeToJson, KeepsTypesOfPlainWordsAndTextInQuotes) {
  EXPECT_EQ(json("[1, -2.50, 1e3, true, FALSE, null, ~, on, 012, 1., '5', \"true\", 0x1F]"),
            "[1,-2.50,1e3,true,false,null,null,\"on\",\"012\",\"1.\",\"5\",\"true\",\"0x1F\"]");
}

TEST(NodeToJson, KeepsOrderAndEscapes) {
  EXPECT_EQ(json("{b: \"a\\\"\\\\\\n\\t\\x01\", a: ö, \"k\\n\": {}}"),
            "{\"b\":\"a\\\"\\\\\\n\\t\\u0001\",\"a\":\"ö\",\"k\\n\":{}}");
}

}  // namespace
}  // namespace mishap::scenarios
