#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;

Params with(std::initializer_list<NameValue> fields) {
  Params params;
  params.set("fields", std::vector<NameValue>(fields));
  return params;
}

std::string wrong(NameValue field) {
  Diagnostics diagnostics;
  extra_fields_fault().validate(with({std::move(field)}), Point::ResponseHead, {}, diagnostics);
  return diagnostics.empty() ? std::string() : diagnostics.front().message;
}

std::string proof_of(bool changed_answer) {
  const Exchange exchange =
      changed(answered(), [&](Exchange& e) { e.answer.changed = changed_answer; });
  return extra_fields_fault()
      .shortfall({exchange, Point::ResponseHead}, with({{"X-A", "1"}}))
      .value_or("delivered");
}

TEST(ExtraFields, StandBehindTheVendorsOwn) {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseHead, Moment::Apply, {}, draws};
  const Params params = with({{"RateLimit", R"("a";r=0;t=2)"}, {"X-A", "1"}, {"X-A", "2"}});
  EXPECT_EQ(print(extra_fields_fault().plan(ordinary(Moment::Apply), params, context)),
            R"(answer 201 [Content-Type: application/json] [RateLimit: "a";r=0;t=2] [X-A: 1] )"
            R"([X-A: 2] "{"id":"bk_1"}" | finish)");
}

TEST(ExtraFields, AreADeprecationWhereNotSaid) {
  EXPECT_THAT(planned(extra_fields_fault(), Point::ResponseHead),
              HasSubstr("[Deprecation: @1688169599]"));
}

TEST(ExtraFields, AreProvenByAnAnswerThatIsNotTheVendorsOwn) {
  EXPECT_EQ(proof_of(true), "delivered");
  EXPECT_EQ(proof_of(false), "the answer went out as the well vendor gives it");
}

TEST(ExtraFields, ChangeNothingAboutTheAnswer) {
  EXPECT_EQ(wrong({"Deprecation", "@1688169599"}), "");
  EXPECT_EQ(wrong({"X A", "1"}), "fault \"extra_fields\": \"X A\" is no name of a field");
  EXPECT_THAT(wrong({"content-length", "1"}), HasSubstr("changes what the answer means"));
}

}  // namespace
}  // namespace mishap::server
