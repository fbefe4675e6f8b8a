#include "mishap/confined.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mishap::scenarios {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kApi = "mishap: 1\napi: crm\nroutes: [{on: GET /x, status: 200}]\n";
const std::string kSecret = "mishap: 1\napi: secret\nroutes: [{on: GET /y, status: 200}]\n";

// A folder that callers may name files of, and beside it one that they may not.
struct ConfinedTest : ::testing::Test {
  ConfinedTest() {
    fs::create_directories(root / "open");
    fs::create_directories(root / "open-beside");
    write("open/crm.yaml", kApi);
    write("open/one.yaml", "mishap: 1\nscenario: one\napi: ./crm.yaml\n");
    write("open/out.yaml", "mishap: 1\nscenario: out\napi: ../secret.yaml\n");
    write("secret.yaml", kSecret);
    write("open-beside/secret.yaml", kSecret);
    fs::create_symlink(root / "secret.yaml", root / "open/link.yaml");
  }
  ~ConfinedTest() override { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
  }
  static std::string text_with(const std::string& api) {
    return "mishap: 1\nscenario: t\napi: " + api + "\n";
  }
  std::string folder() const { return (root / "open").string(); }

  fs::path root = fs::temp_directory_path() / ("mishap-confined-" + std::to_string(::getpid()));
};

std::string first_error(const Loaded& loaded) {
  return loaded.diagnostics.empty() ? std::string() : loaded.diagnostics.front().message;
}

TEST_F(ConfinedTest, WithoutAFolderOnlyShippedNamesAreKnown) {
  EXPECT_TRUE(load_confined_text("yaml", text_with("booking"), "", {}).scenario);
  EXPECT_TRUE(load_confined_scenario("core/healthy", "", {}).scenario);
  EXPECT_TRUE(load_confined_api("booking", "", {}).scenario);
  const auto file = (root / "secret.yaml").string();
  for (const auto& api : {file, std::string("./crm.yaml"), "{from: " + file + "}"}) {
    const auto loaded = load_confined_text("yaml", text_with(api), "", {});
    EXPECT_FALSE(loaded.scenario) << api;
    EXPECT_THAT(first_error(loaded), HasSubstr("may not be opened here")) << api;
  }
  EXPECT_THAT(first_error(load_confined_scenario(file, "", {})), HasSubstr("may not be opened"));
  EXPECT_THAT(first_error(load_confined_api(file, "", {})), HasSubstr("may not be opened"));
}

TEST_F(ConfinedTest, AFileIsNeverNamedByABareWord) {
  EXPECT_FALSE(load_confined_scenario("crm", folder(), {}).scenario);
}

TEST_F(ConfinedTest, FilesOfTheFolderAreRead) {
  EXPECT_TRUE(load_confined_text("yaml", text_with("./crm.yaml"), folder(), {}).scenario);
  EXPECT_TRUE(load_confined_scenario("one.yaml", folder(), {}).scenario);
  EXPECT_TRUE(load_confined_scenario("./one.yaml", folder() + "/", {}).scenario);
  EXPECT_TRUE(load_confined_api("crm.yaml", folder(), {}).scenario);
  LoadOptions options;
  options.api = "crm.yaml";
  EXPECT_TRUE(load_confined_scenario("core/healthy", folder(), options).scenario);
}

TEST_F(ConfinedTest, NothingLeadsOutOfTheFolder) {
  const auto beside = (root / "open-beside/secret.yaml").string();
  for (const auto& path : {std::string("../secret.yaml"), (root / "secret.yaml").string(), beside,
                           std::string("./link.yaml"), std::string("./x/../../secret.yaml")}) {
    EXPECT_FALSE(load_confined_text("yaml", text_with(path), folder(), {}).scenario) << path;
    EXPECT_FALSE(load_confined_api(path, folder(), {}).scenario) << path;
    EXPECT_FALSE(load_confined_scenario(path, folder(), {}).scenario) << path;
  }
  EXPECT_FALSE(load_confined_scenario("out.yaml", folder(), {}).scenario);
}

TEST_F(ConfinedTest, OnlyAFileOfTheFolderNamesAnUpstream) {
  write("open/sandbox.yaml", "mishap: 1\nupstream: \"http://127.0.0.1:1\"\n");
  EXPECT_TRUE(load_confined_text("yaml", text_with("./sandbox.yaml"), folder(), {}).scenario);
  for (const char* api : {"{upstream: \"http://127.0.0.1:1\"}",
                          "{from: ./sandbox.yaml, upstream: \"http://127.0.0.1:2\"}",
                          "{upstream: {url: \"https://127.0.0.1:1\", ca: /etc/passwd}}"}) {
    const auto loaded = load_confined_text("yaml", text_with(api), folder(), {});
    EXPECT_FALSE(loaded.scenario) << api;
    EXPECT_THAT(first_error(loaded), HasSubstr("an upstream may not be named here")) << api;
  }
}

TEST_F(ConfinedTest, ATextMayNotNameAnUpstreamWhateverItIsCalled) {
  const auto text = text_with("{upstream: \"http://127.0.0.1:1\"}");
  for (const auto& name : {std::string("./t.yaml"), folder() + "/one.yaml", std::string("t.yml")}) {
    EXPECT_THAT(first_error(load_confined_text(name, text, folder(), {})),
                HasSubstr("an upstream may not be named here"))
        << name;
  }
}

TEST_F(ConfinedTest, ASettingMayNotNameAnUpstreamEither) {
  const std::string head = "mishap: 1\nscenario: t\nparams: {u: \"http://127.0.0.1:1\"}\napi: ";
  write("open/whole.yaml", head + "{upstream: $u}\n");
  write("open/member.yaml", head + "{upstream: {url: $u, timeout: 1s}}\n");
  LoadOptions options;
  options.set = {{"u", "http://127.0.0.1:2"}};
  for (const char* file : {"whole.yaml", "member.yaml"}) {
    EXPECT_TRUE(load_confined_scenario(file, folder(), {}).scenario) << file;
    EXPECT_THAT(first_error(load_confined_scenario(file, folder(), options)),
                HasSubstr("an upstream may not be named here"))
        << file;
    EXPECT_TRUE(load_scenario((root / "open" / file).string(), options).scenario) << file;
  }
}

}  // namespace
}  // namespace mishap::scenarios
