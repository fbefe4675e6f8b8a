#include "mishap/project.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> said(const LoadedProject& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& one : loaded.diagnostics) {
    out.push_back(std::to_string(one.span.line) + ":" + std::to_string(one.span.column) + " " +
                  one.message);
  }
  return out;
}

LoadedProject load(const std::string& rest, const std::string& folder = "") {
  return load_project_text("mishap.yaml", "mishap: 1\n" + rest, folder);
}

Project project_of(const std::string& rest, const std::string& folder = "") {
  auto loaded = load(rest, folder);
  EXPECT_TRUE(loaded.project) << ::testing::PrintToString(said(loaded));
  return loaded.project ? *loaded.project : Project{};
}

TEST(Project, IsReadWhole) {
  const Project project = project_of(
      "api: booking\n"
      "params: {create: POST /v1/bookings}\n"
      "promise: {profile: b2b, max_attempts: 3}\n"
      "client: {command: python3 sync.py, env: {VENDOR_URL: '{url}'}, promise: {deadline: 9s}}\n"
      "scenarios: [core, healthy]\n"
      "jobs: 4\n"
      "known: [{scenario: 'late-*', check: no_duplicate_effects, reason: soon, until: "
      "2027-01-31}]\n");
  EXPECT_EQ(project.defaults.api.text, "booking");
  EXPECT_EQ(project.defaults.promise.max_attempts, 3);
  EXPECT_EQ(project.defaults.promise.attempt_timeout, 10s);
  ASSERT_EQ(project.clients.size(), 1U);
  EXPECT_THAT(project.clients[0].plan.command, ElementsAre("python3", "sync.py"));
  EXPECT_THAT(project.clients[0].plan.environment, ElementsAre(NameValue{"VENDOR_URL", "{url}"}));
  EXPECT_EQ(project.clients[0].promise.deadline, 9s);
  EXPECT_THAT(project.scenarios, ElementsAre("core", "healthy"));
  EXPECT_EQ(project.jobs, 4);
  ASSERT_EQ(project.known.size(), 1U);
  EXPECT_EQ(project.known[0].reason, "soon");
}

TEST(Project, MayBeEmptyButForItsVersion) {
  EXPECT_TRUE(project_of("").clients.empty());
  EXPECT_THAT(said(load_project_text("mishap.yaml", "jobs: 2\n", "")),
              ElementsAre(HasSubstr("a file begins with mishap: 1")));
}

TEST(Project, SaysWhereItIsWrongAndTheNearestWord) {
  EXPECT_THAT(said(load("prmise: b2b\njobs: 0\n")),
              ElementsAre("2:1 unknown key \"prmise\"; did you mean \"promise\"?",
                          "3:7 \"jobs\" is between 1 and 64"));
  EXPECT_THAT(
      said(load("client: {comand: x, promis: b2b}\n")),
      ElementsAre(HasSubstr("did you mean \"command\"?"), HasSubstr("did you mean \"promise\"?")));
  EXPECT_THAT(said(load("client: {copies: 3, command: x}\n")),
              ElementsAre(HasSubstr("unknown key \"copies\"")));
  EXPECT_THAT(said(load("api: bookng\n")), ElementsAre(HasSubstr("did you mean \"booking\"?")));
  EXPECT_THAT(said(load("scenarios: [cor, ./no-such]\n")),
              ElementsAre(HasSubstr("did you mean \"core\"?"),
                          HasSubstr("there is no file or folder \"no-such\"")));
  EXPECT_THAT(said(load("client: {command: x}\nclients: {a: {command: y}}\n")),
              ElementsAre(HasSubstr("\"client\" or \"clients\", not both")));
  EXPECT_THAT(said(load("scenario: t\napi: any\n")), ElementsAre(HasSubstr("this is a scenario")));
  EXPECT_THAT(said(load("known: [{scenario: x}]\n")),
              ::testing::Contains(HasSubstr("\"check\" is missing")));
}

TEST(Project, NamesItsUnknownParams) {
  const auto found =
      unknown_params(project_of("params: {creat: POST /x, read: GET /y}\n"), {"create", "read"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].message, HasSubstr("did you mean \"create\"?"));
  EXPECT_EQ(found[0].span.line, 2);
}

// Where a scenario of one's own says nothing it is the project's; a shipped one is only a default.
TEST(Project, GivesTheVendorWhereAScenarioNamesNone) {
  LoadOptions options;
  options.project = project_of("api: booking\nparams: {create: POST /v1/bookings}\n").defaults;
  const auto name = [&](const Loaded& loaded) {
    return loaded.scenario ? loaded.scenario->apis.at(0).name
                           : ::testing::PrintToString(testing::said(loaded));
  };
  EXPECT_EQ(name(testing::load("", options)), "booking");
  EXPECT_EQ(name(testing::load("api: any\n", options)), "any");
  const auto shipped = load_scenario("core/response-lost-after-create", options);
  EXPECT_EQ(name(shipped), "booking");
  EXPECT_EQ(shipped.scenario->rules.at(0).on.path, "/v1/bookings");
  options.api = "any";
  EXPECT_EQ(name(load_scenario("core/healthy", options)), "any");
  options.set = {{"create", "POST /x"}};
  EXPECT_EQ(load_scenario("core/response-lost-after-create", options).scenario->rules.at(0).on.path,
            "/x");
  EXPECT_THAT(testing::said_about(""), ElementsAre(HasSubstr("\"api\" is missing")));
}

TEST(Project, HasSeveralVendorsWhereTheCommandLineNamesNone) {
  LoadOptions options;
  options.project = project_of("apis: {pay: booking, crm: any}\n").defaults;
  EXPECT_EQ(load_scenario("core/healthy", options).scenario->apis.size(), 2U);
  options.api = "any";
  const auto named = load_scenario("core/healthy", options);
  ASSERT_TRUE(named.scenario) << ::testing::PrintToString(testing::said(named));
  EXPECT_EQ(named.scenario->apis.at(0).name, "any");
  EXPECT_TRUE(testing::load("", options).scenario);
}

TEST(Project, HasASchemaOfItsOwnKeys) {
  const auto schema = nlohmann::json::parse(project_json_schema());
  for (const char* key :
       {"api", "apis", "params", "promise", "client", "clients", "scenarios", "jobs", "known"}) {
    EXPECT_TRUE(schema["properties"].contains(key)) << key;
  }
  EXPECT_TRUE(schema["$defs"]["project_client"]["properties"].contains("promise"));
  EXPECT_FALSE(schema["$defs"]["project_client"]["properties"].contains("copies"));
  // Every reference leads somewhere.
  const std::string text = schema.dump();
  constexpr std::string_view kRef = "\"#/$defs/";
  for (auto at = text.find(kRef); at != std::string::npos; at = text.find(kRef, at + 1)) {
    const auto begin = at + kRef.size();
    const auto name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(schema["$defs"].contains(name)) << name;
  }
}

class FindProject : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "repository" / "a" / "b");
    fs::create_directories(root_ / "loose" / "a");
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(root_);
  }
  void write(const fs::path& path) { std::ofstream(root_ / path) << "mishap: 1\n"; }
  std::string found_from(const fs::path& folder) {
    fs::current_path(root_ / folder);
    return find_project();
  }

  fs::path root_ = fs::temp_directory_path() / ("mishap-project-" + std::to_string(getpid()));
};

TEST_F(FindProject, LooksUpToTheRootOfTheRepository) {
  fs::create_directories(root_ / "repository" / ".git");
  write("mishap.yaml");
  EXPECT_EQ(found_from("repository/a/b"), "") << "above the repository is somebody else's";
  write("repository/mishap.yaml");
  EXPECT_EQ(found_from("repository/a/b"), "../../mishap.yaml");
  write("repository/a/b/mishap.yaml");
  EXPECT_EQ(found_from("repository/a/b"), "mishap.yaml");
}

TEST_F(FindProject, OutsideOfARepositoryOnlyTheCurrentFolderCounts) {
  write("loose/mishap.yaml");
  EXPECT_EQ(found_from("loose/a"), "");
  EXPECT_EQ(found_from("loose"), "mishap.yaml");
}

TEST_F(FindProject, PathsBeginInTheFolderOfTheFile) {
  std::ofstream(root_ / "loose" / "vendor.yaml") << "mishap: 1\napi: vendor\nany_path: true\n";
  std::ofstream(root_ / "loose" / "a" / "one.yaml") << "mishap: 1\nscenario: one\n";
  std::ofstream(root_ / "loose" / "mishap.yaml")
      << "mishap: 1\napi: ./vendor.yaml\nscenarios: [./a]\n";
  fs::current_path(root_ / "repository");
  const auto loaded = load_project("../loose/mishap.yaml");
  ASSERT_TRUE(loaded.project) << ::testing::PrintToString(said(loaded));
  EXPECT_THAT(loaded.project->scenarios, ElementsAre("../loose/a"));
  LoadOptions options;
  options.project = loaded.project->defaults;
  const auto scenario = load_scenario("../loose/a/one.yaml", options);
  ASSERT_TRUE(scenario.scenario) << ::testing::PrintToString(testing::said(scenario));
  EXPECT_EQ(scenario.scenario->apis.at(0).name, "vendor");
  EXPECT_THAT(*resolve_targets({"../loose/a"}), ElementsAre("../loose/a/one.yaml"));
}

}  // namespace
}  // namespace mishap::scenarios
