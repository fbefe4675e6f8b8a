#include "server/resources/store.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

Item item(const std::string& id, const std::string& json) {
  return {id, "", json};
}

Collection three() {
  Collection made;
  made.put(item("1", R"({"id":"1","colour":"red","n":1})"));
  made.put(item("2", R"({"id":"2","colour":"blue","n":2,"deep":{"n":9}})"));
  made.put(item("3", R"({"id":"3","colour":"red","n":3})"));
  return made;
}

struct SelectCase {
  std::vector<NameValue> query;
  std::string ids;
  std::size_t total;
};

class Select : public testing::TestWithParam<SelectCase> {};

TEST_P(Select, FiltersThenPages) {
  const Collection collection = three();
  const Page page = select(collection, GetParam().query, "");
  std::string ids;
  for (const Item* found : page.items) ids += found->id;
  EXPECT_EQ(ids, GetParam().ids);
  EXPECT_EQ(page.total, GetParam().total);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Select,
    testing::Values(SelectCase{{}, "123", 3}, SelectCase{{{"colour", "red"}}, "13", 2},
                    SelectCase{{{"n", "2"}}, "2", 1}, SelectCase{{{"n", "02"}}, "", 0},
                    SelectCase{{{"deep", "9"}}, "", 0}, SelectCase{{{"nobody", ""}}, "", 0},
                    SelectCase{{{"limit", "2"}}, "12", 3}, SelectCase{{{"offset", "2"}}, "3", 3},
                    SelectCase{{{"offset", "9"}}, "", 3}, SelectCase{{{"limit", "x"}}, "123", 3},
                    SelectCase{{{"colour", "red"}, {"limit", "1"}, {"offset", "1"}}, "3", 2}));

// The index only finds faster what a walk through all of them would find.
TEST(Select, FindsByTheReferenceWhatAWalkWouldFind) {
  Collection made;
  for (int i = 0; i < 60; ++i) {
    const std::string reference = i % 7 == 0 ? "" : "R-" + std::to_string(i % 5);
    made.put({std::to_string(i), reference,
              R"({"ref":")" + reference + R"(","n":)" + std::to_string(i % 3) + "}"});
  }
  made.remove("11");
  for (const std::string asked : {"R-1", "R-4", "R-9"}) {
    for (const std::vector<NameValue>& more :
         {std::vector<NameValue>{}, {{"n", "2"}}, {{"limit", "2"}, {"offset", "1"}}}) {
      std::vector<NameValue> query = more;
      query.push_back({"ref", asked});
      const Page walked = select(made, query, "");
      const Page found = select(made, query, "ref");
      EXPECT_EQ(found.items, walked.items) << asked;
      EXPECT_EQ(found.total, walked.total) << asked;
    }
  }
  EXPECT_GT(select(made, {{"ref", "R-1"}}, "ref").total, 5U);
}

TEST(Collection, NeverGivesAnIdTwice) {
  Collection made;
  EXPECT_EQ(made.next_id("bk_"), "bk_1");
  made.put(item("bk_1", "{}"));
  EXPECT_TRUE(made.remove("bk_1"));
  EXPECT_FALSE(made.remove("bk_1"));
  made.put(item("bk_2", "{}"));  // chosen by a client
  EXPECT_EQ(made.next_id("bk_"), "bk_3");
}

Item referenced(const std::string& id, const std::string& reference) {
  return {id, reference, "{}"};
}

TEST(Collection, FindsTheOldestThatHasAReference) {
  Collection made;
  made.put(referenced("b", "R-1"));
  made.put(referenced("a", "R-1"));
  made.put(referenced("c", ""));
  ASSERT_NE(made.find_reference("R-1"), nullptr);
  EXPECT_EQ(made.find_reference("R-1")->id, "b");
  EXPECT_EQ(made.find_reference("R-2"), nullptr);
  EXPECT_EQ(made.find_reference(""), nullptr);
}

TEST(Collection, AReferenceGoesWithItsItem) {
  Collection made;
  made.put(referenced("a", "R-1"));
  made.put(referenced("a", "R-2"));
  EXPECT_EQ(made.find_reference("R-1"), nullptr);
  ASSERT_NE(made.find_reference("R-2"), nullptr);
  EXPECT_TRUE(made.remove("a"));
  EXPECT_EQ(made.find_reference("R-2"), nullptr);
}

TEST(Collection, KeepsThePlaceOfWhatIsReplaced) {
  Collection made = three();
  made.put(item("1", R"({"id":"1","colour":"red"})"));
  std::string ids;
  for (const auto& [place, kept] : made.items()) ids += kept.id;
  EXPECT_EQ(ids, "123");
}

}  // namespace
}  // namespace mishap::server
