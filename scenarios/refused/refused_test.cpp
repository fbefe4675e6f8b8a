#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/load.h"
#include "mishap/known.h"
#include "mishap/project.h"
#include "mishap/scenario.h"

// Every file of this folder is wrong in one way, and what is said about it stands beside it.
// MISHAP_REFRESH=1 writes the .expected files anew; read the difference before it is committed.
namespace mishap {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return MISHAP_REFUSED_FOLDER;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// What `mishap lint` collects: the loader's, the server's and the judge's. Files of other kinds are
// told by the beginning of their name.
Diagnostics diagnose(const std::string& path) {
  if (fs::path(path).filename().string().starts_with("known-")) {
    return scenarios::load_known(path).diagnostics;
  }
  if (fs::path(path).filename().string().starts_with("project-")) {
    return scenarios::load_project(path).diagnostics;
  }
  return cli::all_diagnostics(scenarios::load_scenario(path, {}));
}

std::string rendered(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) text += render(one);
  return text;
}

std::string contents(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

class Refused : public ::testing::TestWithParam<std::string> {
 protected:
  // Names in messages are those that a user at the root of the repository would see.
  void SetUp() override { fs::current_path(folder() / ".." / ".."); }
};

TEST_P(Refused, WithTheWordsBesideIt) {
  const std::string file = "scenarios/refused/" + GetParam();
  const std::string said = rendered(diagnose(file + ".yaml"));
  ASSERT_FALSE(said.empty()) << "nothing is wrong with this file";
  if (std::getenv("MISHAP_REFRESH") != nullptr) {
    std::ofstream(file + ".expected", std::ios::binary) << said;
  }
  EXPECT_EQ(said, contents(file + ".expected"));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& file) {
  std::string name = file.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Refused, ::testing::ValuesIn(names()), test_name);

// What is too large to be kept beside the others.
class Huge : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }

  std::string said_about(const std::string& text) {
    std::ofstream("huge.yaml", std::ios::binary) << text;
    const auto begin = std::chrono::steady_clock::now();
    const std::string said = rendered(diagnose("huge.yaml"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    return said;
  }

  fs::path folder_ =
      fs::temp_directory_path() / ("mishap-refused-huge-" + std::to_string(getpid()));
};

std::string repeat(const std::string& piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

const std::string kHead = "mishap: 1\nscenario: t\napi: any\n";

TEST_F(Huge, TenMegabytes) {
  EXPECT_EQ(said_about(kHead + repeat("# twenty bytes long\n", 500'000)),
            "\"huge.yaml\" has 10000031 bytes; a scenario file has at most 1 MiB\n");
}

TEST_F(Huge, DeepNesting) {
  const std::string brackets = repeat("[", 100'000);
  const std::string said = said_about(kHead + "summary: " + brackets + repeat("]", 100'000) + "\n");
  EXPECT_TRUE(said.starts_with("huge.yaml:4:73: nested deeper than 64 levels\n")) << said;
  EXPECT_LT(said.size(), 500U);
}

TEST_F(Huge, AliasBomb) {
  std::string bomb = kHead + "params:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeat(", " + before, 9) + "]\n";
  }
  EXPECT_NE(said_about(bomb).find("unfolds to more than 20000 values"), std::string::npos);
}

TEST_F(Huge, ThousandsOfErrors) {
  const std::string said =
      said_about(kHead + "faults:\n" + repeat("  - {fault: stall, when: {attempt: 0}}\n", 2000));
  EXPECT_NE(said.find("and 1950 more errors below"), std::string::npos);
}

}  // namespace
}  // namespace mishap
