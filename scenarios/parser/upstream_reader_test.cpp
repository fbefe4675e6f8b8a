#include "scenarios/parser/upstream_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::IsEmpty;
using testing::said;
using namespace std::chrono_literals;

Api api(const std::string& text) {
  const Loaded loaded = testing::load("api: " + text + "\n");
  EXPECT_THAT(said(loaded), IsEmpty()) << text;
  return loaded.scenario ? loaded.scenario->apis.at(0) : Api{};
}

TEST(Upstream, IsOneOriginTakenApart) {
  struct Row {
    const char* url;
    const char* host;
    Port port;
    const char* authority;
    const char* base_path;
  };
  const Row rows[] = {
      {"https://sandbox.example.com", "sandbox.example.com", 443, "sandbox.example.com", ""},
      {"http://sandbox.example.com:80/", "sandbox.example.com", 80, "sandbox.example.com", ""},
      {"http://127.0.0.1:8080/v2/", "127.0.0.1", 8080, "127.0.0.1:8080", "/v2"},
      {"http://[::1]:8080/a/b", "::1", 8080, "[::1]:8080", "/a/b"},
  };
  for (const Row& row : rows) {
    const Api made = api("{upstream: \"" + std::string(row.url) + "\"}");
    ASSERT_TRUE(made.upstream) << row.url;
    EXPECT_EQ(made.upstream->host, row.host);
    EXPECT_EQ(made.upstream->port, row.port);
    EXPECT_EQ(made.upstream->authority, row.authority);
    EXPECT_EQ(made.upstream->base_path, row.base_path);
    EXPECT_EQ(made.upstream->tls, std::string(row.url).starts_with("https"));
    EXPECT_EQ(made.upstream->timeout, 30s);
  }
}

TEST(Upstream, BeginsAsAnyAndKeepsItsName) {
  const Api made = api("{upstream: \"http://127.0.0.1:1\", limits: {answer: 1KiB}}");
  EXPECT_EQ(made.name, "api");
  EXPECT_TRUE(made.any_path);
  EXPECT_FALSE(made.safe_posts.empty());
  EXPECT_EQ(made.limits.answer, 1024U);
  EXPECT_EQ(api("{api: pay, upstream: \"http://127.0.0.1:1\"}").name, "pay");
  const Api booking = api("{from: booking, upstream: \"http://127.0.0.1:1\"}");
  EXPECT_FALSE(booking.any_path);
  EXPECT_EQ(booking.resources.size(), 2U);
}

TEST(Upstream, FindsItsAuthoritiesBesideItsFile) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "mishap-upstream-ca";
  fs::create_directories(folder / "apis");
  std::ofstream(folder / "apis/ca.pem") << "-----BEGIN CERTIFICATE-----\n";
  std::ofstream(folder / "apis/pay.yaml")
      << "mishap: 1\nupstream: {url: \"https://127.0.0.1:1\", ca: ./ca.pem, timeout: 5s}\n";
  const Loaded loaded = load_scenario_text(
      "t.yaml", "mishap: 1\nscenario: t\napi: ./apis/pay.yaml\n", folder.string(), {});
  ASSERT_TRUE(loaded.scenario) << render(loaded.diagnostics.at(0));
  EXPECT_EQ(loaded.scenario->apis[0].upstream->ca, (folder / "apis/ca.pem").string());
  EXPECT_EQ(loaded.scenario->apis[0].upstream->timeout, 5s);
  fs::remove_all(folder);
}

TEST(ExpectedCalls, AreReadWithTheirOrder) {
  const Loaded loaded = testing::load(
      "api: any\nexpect: {calls: [{on: POST /v1/confirm, count: 1, after: POST /v1/bookings}, "
      "{on: GET /x}, {on: DELETE /x, count: 0}]}\n");
  EXPECT_THAT(said(loaded), IsEmpty());
  const auto& calls = loaded.scenario->counts.calls;
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_TRUE(loaded.scenario->counts.any());
  EXPECT_EQ(calls[0].on.path, "/v1/confirm");
  EXPECT_TRUE(calls[0].count.contains(1));
  EXPECT_FALSE(calls[0].count.contains(2));
  ASSERT_TRUE(calls[0].after);
  EXPECT_EQ(calls[0].after->path, "/v1/bookings");
  EXPECT_TRUE(calls[1].count.contains(7));
  EXPECT_FALSE(calls[1].count.contains(0));
  EXPECT_FALSE(calls[1].after);
  EXPECT_TRUE(calls[2].count.contains(0));
}

}  // namespace
}  // namespace mishap::scenarios
