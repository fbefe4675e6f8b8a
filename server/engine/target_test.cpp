#include "server/engine/target.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using Segments = std::vector<std::string>;

struct TargetCase {
  std::string sent;
  std::string path;
  Segments segments;
};

class TargetPath : public testing::TestWithParam<TargetCase> {};

TEST_P(TargetPath, IsDecodedBySegment) {
  const Target target = parse_target(GetParam().sent);
  EXPECT_EQ(target.path, GetParam().path);
  EXPECT_EQ(target.segments, GetParam().segments);
}

INSTANTIATE_TEST_SUITE_P(
    Table, TargetPath,
    testing::Values(
        TargetCase{"/", "/", {""}}, TargetCase{"/v1/bookings", "/v1/bookings", {"v1", "bookings"}},
        TargetCase{"/a%2Fb/c", "/a%2Fb/c", {"a/b", "c"}}, TargetCase{"/a%2fb", "/a%2Fb", {"a/b"}},
        TargetCase{"/a//b", "/a//b", {"a", "", "b"}}, TargetCase{"/a/", "/a/", {"a", ""}},
        TargetCase{"/a+b", "/a+b", {"a+b"}}, TargetCase{"/a%20b?x=%2F", "/a b", {"a b"}},
        TargetCase{"/%zz%4", "/%zz%4", {"%zz%4"}},
        TargetCase{"http://h:1/x/y?z=1", "/x/y", {"x", "y"}}, TargetCase{"http://h", "/", {""}},
        TargetCase{"http://h?z=1", "/", {""}}, TargetCase{"/go?to=http://h/x", "/go", {"go"}},
        TargetCase{"*", "*", {}}, TargetCase{"host:443", "host:443", {}}, TargetCase{"", "", {}},
        TargetCase{"/\xd0\xb6", "/\xd0\xb6", {"\xd0\xb6"}}));

TEST(TargetQuery, DecodesPlusAndPercentAndKeepsOrderAndDuplicates) {
  const Target target = parse_target("/x?a=1+2&b=%26&a=&flag&&%ff=%");
  const std::vector<NameValue> expected = {
      {"a", "1 2"}, {"b", "&"}, {"a", ""}, {"flag", ""}, {"\xff", "%"}};
  EXPECT_EQ(target.query, expected);
}

TEST(TargetParse, TakesEveryByteWithoutComplaint) {
  std::string all = "/";
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_FALSE(parse_target(all).segments.empty());
}

TEST(ParentPath, IsTheCollectionOfAnItem) {
  EXPECT_EQ(parent_path(parse_target("/v1/orders/7")), "/v1/orders");
  EXPECT_EQ(parent_path(parse_target("/orders")), "/");
  EXPECT_EQ(parent_path(parse_target("/a/b%2Fc")), "/a");
}

}  // namespace
}  // namespace mishap::server
