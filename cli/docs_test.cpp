#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "client-tests/checks/table.h"
#include "mishap/profiles.h"
#include "mishap/project.h"
#include "mishap/report.h"
#include "mishap/scenario.h"
#include "mishap/server.h"
#include "mishap/verdict.h"
#include "scenarios/parser/tables.h"
#include "server/faults/table.h"

// Tables and schemas in the documents are made from the code. MISHAP_REFRESH=1 writes them anew.
namespace mishap {
namespace {

std::string path_of(const std::string& name) {
  return std::string(MISHAP_ROOT) + "/" + name;
}

std::string read(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(path_of(name), std::ios::binary).rdbuf();
  return text.str();
}

void hold(const std::string& name, const std::string& text) {
  if (std::getenv("MISHAP_REFRESH") != nullptr) {
    std::ofstream(path_of(name), std::ios::binary) << text;
  }
  EXPECT_EQ(read(name), text) << name << " is out of date: run docs_test with MISHAP_REFRESH=1";
}

// The document with what stands between the two marks replaced.
std::string with_table(const std::string& name, const std::string& mark, const std::string& table) {
  auto text = read(name);
  const auto begin_mark = "<!-- " + mark + ":begin -->";
  const auto begin = text.find(begin_mark);
  const auto end = text.find("<!-- " + mark + ":end -->");
  if (begin == std::string::npos || end == std::string::npos) return "no marks for " + mark;
  const auto from = begin + begin_mark.size();
  text.replace(from, end - from, "\n" + table + (table.ends_with('\n') ? "" : "\n"));
  return text;
}

TEST(Documents, LanguageTablesAreTheLoadersOwn) {
  hold("scenarios/README.md",
       with_table("scenarios/README.md", "keys", scenarios::key_tables_markdown()));
}

TEST(Documents, FaultTableIsTheCataloguesOwn) {
  hold("server/faults/README.md",
       with_table("server/faults/README.md", "faults", server::fault_table_markdown()));
}

TEST(Documents, CheckTableIsTheCataloguesOwn) {
  hold("client-tests/checks/README.md",
       with_table("client-tests/checks/README.md", "checks", client_tests::check_table_markdown()));
}

TEST(Documents, ScenarioSchemaIsTheLoadersOwn) {
  hold("docs/scenario.schema.json",
       scenarios::json_schema(server::fault_catalogue(), client_tests::check_catalogue()));
}

TEST(Documents, ProjectTableAndSchemaAreTheLoadersOwn) {
  hold("scenarios/README.md", with_table("scenarios/README.md", "project",
                                         scenarios::key_table_markdown(scenarios::project_keys())));
  hold("docs/project.schema.json", scenarios::project_json_schema());
}

TEST(Documents, ProfileTableIsTheLoadersOwn) {
  hold("scenarios/README.md",
       with_table("scenarios/README.md", "profiles", scenarios::profile_table_markdown()));
}

TEST(Documents, ReportSchemaIsPublished) {
  hold("docs/report.schema.json", reports::json_report_schema());
}

}  // namespace
}  // namespace mishap
