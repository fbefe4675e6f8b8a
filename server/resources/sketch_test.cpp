#include "server/resources/sketch.h"

#include <gmock/gmock.h>

namespace mishap::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<MemberSketch> members(std::string_view type, std::string_view body) {
  return sketch_members(read_content(type, body));
}

TEST(Sketch, KeepsNamesAndTypesAndNoValue) {
  EXPECT_THAT(
      members("application/json",
              R"({"ref": "r-1", "n": 2, "x": 1.5, "ok": true, "no": null, "l": [1], "o": {}})"),
      ElementsAre(MemberSketch{"ref", "string"}, MemberSketch{"n", "integer"},
                  MemberSketch{"x", "number"}, MemberSketch{"ok", "boolean"},
                  MemberSketch{"no", "null"}, MemberSketch{"l", "array"},
                  MemberSketch{"o", "object"}));
}

TEST(Sketch, ReadsFormsAndListsOfObjects) {
  EXPECT_THAT(members("application/x-www-form-urlencoded", "amount=2&currency=eur"),
              ElementsAre(MemberSketch{"amount", "string"}, MemberSketch{"currency", "string"}));
  EXPECT_THAT(members("application/json", R"([{"a": 1}, {"b": 2}])"),
              ElementsAre(MemberSketch{"a", "integer"}));
}

TEST(Sketch, LeavesOutNamesThatMayBeValues) {
  EXPECT_THAT(members("application/json", R"({"ann@example.com": 1, "12345": 1, "a b": 1, "": 1})"),
              IsEmpty());
  EXPECT_THAT(members("application/json", "{\"" + std::string(65, 'a') + "\": 1}"), IsEmpty());
}

TEST(Sketch, IsBounded) {
  std::string body = "{";
  for (int i = 0; i < 1000; ++i) body += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":1";
  EXPECT_THAT(members("application/json", body + "}"), SizeIs(64));
}

TEST(Sketch, NamesTheKindOfABody) {
  EXPECT_EQ(body_kind(read_content("application/json", "{}")), "json");
  EXPECT_EQ(body_kind(read_content("application/json", "{")), "bad json");
  EXPECT_EQ(body_kind(read_content("application/x-www-form-urlencoded", "a=b")), "form");
  EXPECT_EQ(body_kind(read_content("text/plain", "hello")), "other");
  EXPECT_EQ(body_kind(read_content("", "")), "");
}

}  // namespace
}  // namespace mishap::server
