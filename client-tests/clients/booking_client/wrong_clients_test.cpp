#include "client-tests/clients/booking_client/wrong_clients.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/command_line.h"
#include "client-tests/clients/booking_client/environment.h"

namespace booking {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> readme_rows() {
  std::ifstream file(CLIENTS_README);
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- wrong-clients:end -->") break;
    if (inside && line.starts_with("| `")) rows.push_back(line);
    if (line == "<!-- wrong-clients:begin -->") inside = true;
  }
  return rows;
}

TEST(WrongClients, StandInTheReadmeAsTheyStandInTheTable) {
  std::vector<std::string> rows;
  for (const WrongClient& wrong : wrong_clients()) {
    rows.push_back(std::string("| `") + wrong.name + "` | `" + wrong.check + "` | " +
                   wrong.summary + " |");
  }
  EXPECT_EQ(readme_rows(), rows);
}

TEST(WrongClients, HaveNamesOfTheirOwnAndCanBeMade) {
  std::set<std::string> names;
  for (const WrongClient& wrong : wrong_clients()) {
    EXPECT_TRUE(names.insert(wrong.name).second) << wrong.name;
    Settings settings;
    settings.wrong = wrong.name;
    EXPECT_NE(make_habits(settings), nullptr) << wrong.name;
  }
  EXPECT_NE(make_habits(Settings()), nullptr);
  Settings unknown;
  unknown.wrong = "wrong-in-an-unknown-way";
  EXPECT_EQ(make_habits(unknown), nullptr);
}

TEST(CommandLine, TakesItsFlagsAndNamesABadOne) {
  std::string complaint;
  const auto line = parse_command_line({"--creates", "7", "--attempt-timeout", "250ms",
                                        "--deadline", "2s", "--no-outcomes", "--wrong", "x"},
                                       complaint);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->settings.creates, 7);
  EXPECT_EQ(line->settings.attempt_timeout, 250ms);
  EXPECT_EQ(line->settings.deadline, 2s);
  EXPECT_FALSE(line->settings.writes_outcomes);
  EXPECT_EQ(line->settings.wrong, "x");

  const std::vector<std::vector<std::string>> bad = {
      {"--nonsense"}, {"--creates"},           {"--creates", "-1"},          {"--creates", "3x"},
      {"--deadline"}, {"--deadline", "2"},     {"--deadline", "0s"},         {"--base", "1.5s"},
      {"--wrong"},    {"--max-attempts", "0"}, {"--deadline", "9999999999s"}};
  for (const auto& arguments : bad) {
    EXPECT_FALSE(parse_command_line(arguments, complaint)) << arguments.front();
    EXPECT_NE(complaint.find(arguments.front()), std::string::npos);
  }
}

TEST(SplitUrl, TellsOriginFromBasePath) {
  std::string origin, path;
  ASSERT_TRUE(split_url("http://127.0.0.1:8080/base/", origin, path));
  EXPECT_EQ(origin, "http://127.0.0.1:8080");
  EXPECT_EQ(path, "/base");
  ASSERT_TRUE(split_url("https://[::1]:1", origin, path));
  EXPECT_EQ(path, "");
  EXPECT_FALSE(split_url("127.0.0.1:8080", origin, path));
  EXPECT_FALSE(split_url("ftp://host", origin, path));
  EXPECT_FALSE(split_url("http:///path", origin, path));
}

}  // namespace
}  // namespace booking
