#include "scenarios/parser/api_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::said;
using testing::said_about;
using namespace std::chrono_literals;

Api api(const std::string& text) {
  const Loaded loaded = testing::load("api: " + text + "\n");
  EXPECT_THAT(said(loaded), IsEmpty()) << text;
  return loaded.scenario ? loaded.scenario->apis.at(0) : Api{};
}

// Files that go with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path_ / file) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  static std::string name() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::string("mishap-") + test->test_suite_name() + "-" + test->name();
  }
  std::filesystem::path path_;
};

TEST(Api, ShippedBookingIsWhole) {
  const Api a = api("booking");
  EXPECT_EQ(a.name, "booking");
  EXPECT_EQ(a.base, "booking");
  ASSERT_EQ(a.resources.size(), 2U);
  const Resource& bookings = a.resources[0];
  EXPECT_EQ(bookings.path, "/v1/bookings");
  EXPECT_EQ(bookings.id_prefix, "bk_");
  EXPECT_EQ(bookings.reference, "reference");
  EXPECT_EQ(bookings.verbs.size(), 6U);
  EXPECT_TRUE(bookings.idempotency.enabled);
  EXPECT_FALSE(bookings.idempotency.required);
  EXPECT_TRUE(bookings.schema.is_map());
  EXPECT_THAT(a.resources[1].verbs, ElementsAre(Verb::Read, Verb::List));
  EXPECT_EQ(a.resources[1].items.size(), 3U);
  ASSERT_EQ(a.routes.size(), 1U);
  EXPECT_EQ(a.routes[0].body, "{\"ok\":true}");
}

TEST(Api, ShippedAnyTakesEveryPath) {
  const Api a = api("any");
  EXPECT_TRUE(a.any_path);
  EXPECT_THAT(a.safe_posts, ::testing::Contains("/graphql"));
}

TEST(Api, IsMergedOverItsBase) {
  const Api a =
      api("{api: mine, from: booking, limits: {body: 1KiB}, resources: {bookings: {verbs: [read], "
          "idempotency: {required: true, lifetime: 10m, replay: success}}}}");
  EXPECT_EQ(a.name, "mine");
  EXPECT_EQ(a.base, "booking");
  EXPECT_EQ(a.limits.body, 1024U);
  EXPECT_EQ(a.limits.target, 8192U);
  ASSERT_EQ(a.resources.size(), 2U);
  EXPECT_THAT(a.resources[0].verbs, ElementsAre(Verb::Read));
  EXPECT_EQ(a.resources[0].reference, "reference");
  EXPECT_TRUE(a.resources[0].idempotency.required);
  EXPECT_EQ(a.resources[0].idempotency.header, "Idempotency-Key");
  EXPECT_EQ(a.resources[0].idempotency.replay, Replay::Success);
  EXPECT_EQ(a.resources[0].idempotency.lifetime, 10min);
}

TEST(Api, CanSwitchKeysOff) {
  EXPECT_FALSE(api("{from: booking, resources: {bookings: {idempotency: off}}}")
                   .resources[0]
                   .idempotency.enabled);
}

TEST(Api, ReadsRoutesAuthAndOperation) {
  const Api a =
      api("{routes: [{on: GET /x, status: 204, headers: {A: [1, 2]}}, {on: GET /y, body: hi}], "
          "auth: {bearer: required}, operation: {from: header X-Ref}}");
  ASSERT_EQ(a.routes.size(), 2U);
  EXPECT_EQ(a.routes[0].status, 204);
  EXPECT_EQ(a.routes[0].headers, (std::vector<NameValue>{{"A", "1"}, {"A", "2"}}));
  EXPECT_EQ(a.routes[0].body, std::nullopt);
  EXPECT_EQ(a.routes[1].body, "hi");
  EXPECT_FALSE(a.routes[1].json);
  EXPECT_TRUE(a.auth.required);
  EXPECT_EQ(a.operation_from, "header X-Ref");
}

TEST(Api, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"bokking", "3:6 unknown api \"bokking\"; did you mean \"booking\"?"},
      {"./no.yaml", "3:6 there is no file \"no.yaml\""},
      {"{}",
       "3:6 this api answers nothing: it needs resources, routes, any_path: true or upstream"},
      {"{any_path: yes}", "3:17 \"any_path\" is true or false"},
      {"{any_path: true, resurces: {}}",
       "3:23 unknown key \"resurces\"; did you mean \"resources\"?"},
      {"{resources: {b: {path: b}}}", "3:29 a path begins with \"/\": /b"},
      {"{resources: {b: {verbs: [raed]}}}", "3:31 unknown verb \"raed\"; did you mean \"read\"?"},
      {"{resources: {b: {unique_reference: true}}}",
       "3:41 \"unique_reference\" needs \"reference\""},
      {"{resources: {b: {path: /x}, c: {path: /x}}}", "3:34 \"b\" has the same path: /x"},
      {"{resources: {b: {idempotency: on}}}", "3:36 \"idempotency\" is a map, or off"},
      {"{resources: {b: {idempotency: false}}}",
       "3:36 this was \"off\" before a program wrote the file: YAML 1.1 takes off for false; write "
       "\"off\" in quotes"},
      {"{resources: {b: {idempotency: {lifetime: 24}}}}",
       "3:47 a duration needs its unit: 24s, 24ms or 24m?"},
      {"{routes: [{status: 200}]}", "3:16 the key \"on\" is missing here"},
      {"{routes: [{on: GET /x, body: a, json: b}]}",
       "3:44 a route has \"body\" or \"json\", not both"},
      {"{any_path: true, limits: {body: 16}}", "3:38 a size needs its unit: 16B or 16KiB?"},
      {"{any_path: true, operation: {from: cookie x}}",
       "3:41 an operation is named by \"header NAME\" or \"body NAME\""}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(said_about("api: " + text + "\n"), ElementsAre(message)) << text;
  }
}

TEST(Api, IsFoundFromTheFolderOfTheFileThatNamesIt) {
  const Folder folder;
  folder.write("base.yaml", "mishap: 1\nany_path: true\n");
  folder.write("mine.yaml", "mishap: 1\napi: crm\nfrom: ./base.yaml\nlimits: {head: 1KiB}\n");
  const Loaded loaded =
      load_scenario_text("t", "mishap: 1\nscenario: t\napi: ./mine.yaml\n", folder.path(), {});
  ASSERT_THAT(said(loaded), IsEmpty());
  EXPECT_EQ(loaded.scenario->apis[0].name, "crm");
  EXPECT_TRUE(loaded.scenario->apis[0].any_path);
  EXPECT_EQ(loaded.scenario->apis[0].limits.head, 1024U);
}

TEST(Api, FileWithoutAKeyIsNamedByItsFile) {
  const Folder folder;
  folder.write("status-sync.yaml", "mishap: 1\nany_path: true\n");
  const Loaded loaded = load_scenario_text("t", "mishap: 1\nscenario: t\napi: ./status-sync.yaml\n",
                                           folder.path(), {});
  ASSERT_TRUE(loaded.scenario);
  EXPECT_EQ(loaded.scenario->apis[0].name, "status-sync");
}

TEST(Api, ErrorsPointIntoTheFileTheyAreIn) {
  const Folder folder;
  folder.write("mine.yaml", "mishap: 1\nresources: {b: {path: b}}\n");
  const Loaded loaded =
      load_scenario_text("t", "mishap: 1\nscenario: t\napi: ./mine.yaml\n", folder.path(), {});
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(loaded.diagnostics[0].span.source->name, folder.path() + "/mine.yaml");
  EXPECT_EQ(loaded.diagnostics[0].span.line, 2);
}

TEST(Api, CircleIsRefusedWithItsWay) {
  const Folder folder;
  folder.write("a.yaml", "mishap: 1\nfrom: ./b.yaml\n");
  folder.write("b.yaml", "mishap: 1\nfrom: ../" +
                             std::filesystem::path(folder.path()).filename().string() +
                             "/a.yaml\n");
  const Loaded loaded =
      load_scenario_text("t", "mishap: 1\nscenario: t\napi: ./a.yaml\n", folder.path(), {});
  const std::string a = folder.path() + "/a.yaml";
  const std::string b = folder.path() + "/b.yaml";
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(loaded.diagnostics[0].message,
            "these apis go round in a circle: " + a + " -> " + b + " -> " + a);
}

TEST(Api, SeveralAreKnownByTheirNames) {
  const Loaded loaded = testing::load(
      "apis: {pay: any, crm: {from: booking}}\nfaults:\n  - {on: pay POST /x, fault: stall}\n");
  ASSERT_THAT(said(loaded), IsEmpty());
  ASSERT_EQ(loaded.scenario->apis.size(), 2U);
  EXPECT_EQ(loaded.scenario->apis[0].name, "pay");
  EXPECT_EQ(loaded.scenario->apis[1].name, "crm");
  EXPECT_EQ(loaded.scenario->apis[1].base, "booking");
}

}  // namespace
}  // namespace mishap::scenarios
