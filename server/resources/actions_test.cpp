#include "server/resources/actions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

using scenarios::Verb;

class Actions : public testing::Test {
 protected:
  Actions() {
    resource_.name = "bookings";
    resource_.path = "/v1/bookings";
    resource_.id_prefix = "bk_";
    resource_.reference = "reference";
  }
  Outcome act(Verb verb, const std::string& body = "", const std::string& id = "") {
    const Content content = read_content("application/json", body);
    return perform(collection_, {resource_, nullptr, verb, id, content, query_, false});
  }

  scenarios::Resource resource_;
  Collection collection_;
  std::vector<NameValue> query_;
};

TEST_F(Actions, PutTheIdFirstAndKeepTheMembersInTheirOrder) {
  const Outcome made = act(Verb::Create, R"({"z":1,"id":"mine","a":{"y":2,"b":3}})");
  EXPECT_EQ(made.answer.body, R"({"id":"bk_1","z":1,"a":{"y":2,"b":3}})");
  ASSERT_TRUE(made.change);
  EXPECT_EQ(made.change->kind, EffectKind::Created);
  EXPECT_TRUE(made.executed);
}

TEST_F(Actions, TellTheReferenceOfAChange) {
  EXPECT_EQ(act(Verb::Create, R"({"reference":"R1"})").change->reference, "R1");
  EXPECT_EQ(act(Verb::Patch, R"({"seats":1})", "bk_1").change->reference, "R1");
  EXPECT_EQ(act(Verb::Delete, "", "bk_1").change->reference, "R1");
}

TEST_F(Actions, MergeAPatchAsRfc7396Says) {
  act(Verb::Create, R"({"a":{"b":1,"c":2},"d":3})");
  const Outcome patched = act(Verb::Patch, R"({"a":{"b":null,"e":4},"d":[1],"id":"x"})", "bk_1");
  EXPECT_EQ(patched.answer.body, R"({"id":"bk_1","a":{"c":2,"e":4},"d":[1]})");
  EXPECT_EQ(act(Verb::Patch, "[1]", "bk_1").answer.status, 422);
}

TEST_F(Actions, ShowTheIdsOfTheirAnswer) {
  act(Verb::Create, R"({"n":1})");
  act(Verb::Create, R"({"n":2})");
  query_ = {{"n", "2"}};
  EXPECT_EQ(act(Verb::List).shown, std::vector<std::string>{"bk_2"});
  EXPECT_EQ(act(Verb::Read, "", "bk_1").shown, std::vector<std::string>{"bk_1"});
  EXPECT_TRUE(act(Verb::Read, "", "bk_9").shown.empty());
}

TEST_F(Actions, ChangeNothingWhenTheyRefuse) {
  const Outcome refused = act(Verb::Create, "{");
  EXPECT_EQ(refused.answer.status, 400);
  EXPECT_FALSE(refused.executed);
  EXPECT_FALSE(refused.change);
  EXPECT_TRUE(collection_.items().empty());
}

TEST_F(Actions, EscapeIdsInALocation) {
  const Outcome made = act(Verb::Replace, "{}", "a/b c");
  EXPECT_EQ(made.answer.headers.back().value, "/v1/bookings/a%2Fb%20c");
}

TEST_F(Actions, KeepAUniqueReferenceUniqueExceptForItself) {
  resource_.unique_reference = true;
  act(Verb::Create, R"({"reference":"R1"})");
  const Outcome taken = act(Verb::Create, R"({"reference":"R1"})");
  EXPECT_EQ(taken.answer.status, 409);
  EXPECT_TRUE(taken.executed);
  EXPECT_EQ(act(Verb::Replace, R"({"reference":"R1"})", "bk_1").answer.status, 200);
  EXPECT_EQ(act(Verb::Create, R"({"note":"no reference"})").answer.status, 201);
  EXPECT_EQ(act(Verb::Create, R"({"note":"no reference"})").answer.status, 201);
}

}  // namespace
}  // namespace mishap::server
