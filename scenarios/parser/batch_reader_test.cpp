#include "scenarios/parser/batch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::said;
using testing::said_about;

std::optional<Batch> batch(const std::string& text) {
  const Loaded loaded =
      testing::load("api: {resources: {b: {path: /v1/b, batch: " + text + "}}}\n");
  EXPECT_THAT(said(loaded), IsEmpty()) << text;
  return loaded.scenario ? loaded.scenario->apis.at(0).resources.at(0).batch : std::nullopt;
}

TEST(Batch, IsThereWhereItIsAskedFor) {
  ASSERT_TRUE(batch("true"));
  EXPECT_EQ(batch("true")->path, "/v1/b/batch");
  EXPECT_EQ(batch("true")->items, "items");
  EXPECT_EQ(batch("true")->results, "results");
  EXPECT_EQ(batch("true")->key, "idempotency_key");
  EXPECT_EQ(batch("true")->status, 207);
  EXPECT_FALSE(batch("false"));
}

TEST(Batch, IsDescribedByAMap) {
  const auto b =
      batch("{path: /v1/bulk, items: bookings, results: responses, key: rid, status: 200}");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->path, "/v1/bulk");
  EXPECT_EQ(b->items, "bookings");
  EXPECT_EQ(b->results, "responses");
  EXPECT_EQ(b->key, "rid");
  EXPECT_EQ(b->status, 200);
  EXPECT_EQ(batch("{status: 200}")->path, "/v1/b/batch");
}

TEST(Batch, OfABaseIsChangedOrSwitchedOff) {
  const auto with = [](const std::string& text) {
    const Loaded loaded =
        testing::load("api: {from: booking, resources: {bookings: " + text + "}}\n");
    EXPECT_THAT(said(loaded), IsEmpty()) << text;
    return loaded.scenario->apis.at(0).resources.at(0).batch;
  };
  EXPECT_EQ(with("{}")->path, "/v1/bookings/batch");
  EXPECT_EQ(with("{path: /v2/bookings}")->path, "/v2/bookings/batch");
  EXPECT_EQ(with("{batch: {status: 200}}")->status, 200);
  EXPECT_FALSE(with("{batch: false}"));
  EXPECT_FALSE(with("{verbs: [read]}"));
}

std::string taken(const std::string& by, const std::string& path) {
  return "the batch of \"" + by + "\" is at " + path +
         " as well: give one of them another path, or say \"batch: false\"";
}

TEST(Batch, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{resources: {b: {batch: yes}}}", "3:30 \"batch\" is true, false, or a map: {status: 200}"},
      {"{resources: {b: {batch: [1]}}}", "3:30 \"batch\" is true, false, or a map: {status: 200}"},
      {"{resources: {b: {batch: {pth: /x}}}}", "3:31 unknown key \"pth\"; did you mean \"path\"?"},
      {"{resources: {b: {batch: {path: x}}}}", "3:37 a path begins with \"/\": /x"},
      {"{resources: {b: {batch: {path: /x/:id}}}}",
       "3:37 a batch has one path, without \":id\" and \"*\""},
      {"{resources: {b: {batch: {status: 201}}}}",
       "3:39 a batch is answered with 200 or 207: what became of each item stands in its result"},
      {"{resources: {b: {batch: {items: ''}}}}", "3:38 \"items\" is the name of a member"},
      {"{resources: {b: {verbs: [read], batch: true}}}",
       "3:45 a batch is of creates, and \"verbs\" has no create"},
      {"{resources: {b: {batch: {path: /b}}}}", "3:19 " + taken("b", "/b")},
      {"{resources: {b: {batch: {path: /c}}, c: {}}}", "3:43 " + taken("b", "/c")},
      {"{resources: {b: {batch: {path: /x}}, c: {batch: {path: /x}}}}", "3:54 " + taken("b", "/x")},
      {"{resources: {b: {batch: true}}, routes: [{on: POST /b/batch}]}",
       "3:52 " + taken("b", "/b/batch")},
      {"{upstream: 'http://127.0.0.1:9', resources: {b: {batch: true}}}",
       "warning 3:62 an upstream answers its batches itself: \"batch\" says nothing"}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(said_about("api: " + text + "\n"), ElementsAre(message)) << text;
  }
}

}  // namespace
}  // namespace mishap::scenarios
