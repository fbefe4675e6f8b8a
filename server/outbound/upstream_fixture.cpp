#include "server/outbound/upstream_fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "mishap/scenario.h"

namespace mishap::server {

using namespace std::chrono_literals;

UpstreamTest::~UpstreamTest() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void UpstreamTest::start(RawUpstream::Script script, const TlsIdentity* identity) {
  upstream_ = std::make_unique<RawUpstream>(std::move(script), identity);
}

void UpstreamTest::begin(const std::string& more, const std::string& api, const std::string& map) {
  const std::string text =
      "mishap: 1\nscenario: t\napi: {upstream: " + (map.empty() ? "\"" + url() + "\"" : map) + api +
      "}\n" + more;
  auto loaded = scenarios::load_scenario_text("t.yaml", text, ".", {});
  ASSERT_TRUE(loaded.scenario) << render(loaded.diagnostics.at(0)) << text;
  const Diagnostics wrong = check_scenario(*loaded.scenario);
  ASSERT_FALSE(has_errors(wrong)) << render(wrong.at(0));
  auto server = start_server(clock_);
  ASSERT_TRUE(server);
  server_ = std::move(*server);
  auto run = server_->begin(*loaded.scenario, {.seed = 3, .token = "t"});
  ASSERT_TRUE(run) << run.error().message;
  run_ = std::move(*run);
}

std::string UpstreamTest::whole_answer(RawClient& client) {
  const std::string head = client.receive_until("\r\n\r\n");
  const std::size_t blank = head.find("\r\n\r\n");
  const auto length = length_in(head.substr(0, blank));
  if (blank == head.npos || !length) return head;
  return client.receive_bytes(blank + 4 + *length);
}

std::string UpstreamTest::ask(const std::string& request) {
  RawClient client(port());
  client.send(request);
  // The answer to a HEAD ends with its head, whatever length that tells.
  if (request.starts_with("HEAD ")) return client.receive_until("\r\n\r\n");
  return whole_answer(client);
}

std::string UpstreamTest::post(const std::string& path, const std::string& body,
                               const std::string& more) {
  return "POST " + path + " HTTP/1.1\r\nHost: mock.test\r\nContent-Type: application/json\r\n" +
         more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string UpstreamTest::get(const std::string& path, const std::string& more) {
  return "GET " + path + " HTTP/1.1\r\nHost: mock.test\r\n" + more + "\r\n";
}

Journal UpstreamTest::journal() {
  run_->wait(
      [](const Journal& journal) {
        return std::ranges::all_of(journal.exchanges, [](const Exchange& exchange) {
          return exchange.receipt.ended.has_value();
        });
      },
      5s);
  run_->settle(5s);
  return run_->end();
}

std::string UpstreamTest::file(const std::string& name, const std::string& text) {
  if (folder_.empty()) {
    folder_ = (std::filesystem::path(testing::TempDir()) / "upstream-XXXXXX").string();
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  const std::string path = folder_ + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace mishap::server
