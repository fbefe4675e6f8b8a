// GoogleTest: prove in a test how your API client behaves when the API misbehaves. Copy this file,
// keep MishapServer and MishapRun, and put your own client in place of the two below. It needs
// cpp-httplib and nlohmann_json, and finds the binary in MISHAP_BIN.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

using nlohmann::json;

// `mishap serve --control` as a child of this process. It ends when its standard input does, so it
// outlives this process in no case.
class MishapServer {
 public:
  MishapServer() {
    const char* binary = std::getenv("MISHAP_BIN");
    if (binary == nullptr) throw std::runtime_error("name the mishap binary in MISHAP_BIN");
    int ready[2];
    int input[2];
    if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(input, O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ready[1], 3);
    std::string words[] = {"mishap", "serve", "--control", "0", "--ready-fd", "3", "--until-eof"};
    char* argv[std::size(words) + 1] = {};
    for (std::size_t i = 0; i < std::size(words); ++i) argv[i] = words[i].data();
    const int failed = posix_spawn(&child_, binary, &files, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ready[1]);
    close(input[0]);
    input_ = input[1];
    if (failed == 0) url_ = read_url(ready[0]);
    close(ready[0]);
    if (url_.empty()) throw std::runtime_error("mishap did not start");
  }

  ~MishapServer() {
    close(input_);
    waitpid(child_, nullptr, 0);
  }

  json call(const std::string& method, const std::string& path, const json& body) const {
    httplib::Client client(url_);
    client.set_read_timeout(60);
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.set_header("Content-Type", "application/json");
    request.body = body.dump();
    const auto answer = client.send(request);
    if (!answer) throw std::runtime_error("the control API does not answer");
    if (answer->status >= 300) throw std::runtime_error(answer->body);
    return json::parse(answer->body);
  }

 private:
  static std::string read_url(int ready) {
    std::string text;
    char bytes[512];
    for (ssize_t got = 0; (got = read(ready, bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<std::size_t>(got));
    }
    const std::string mark = "ready control ";
    const auto at = text.find(mark);
    if (at == std::string::npos) return {};
    return text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
  }

  pid_t child_ = -1;
  int input_ = -1;
  std::string url_;
};

// One run under one fault. `verdict()` ends it: EXPECT_EQ(run.verdict(), "pass") << run.text();
class MishapRun {
 public:
  MishapRun(const MishapServer& server, const json& request) : server_(server) {
    const auto begun = server_.call("POST", "/v1/runs", request);
    id_ = begun["id"];
    url_ = begun["url"];
  }

  const std::string& url() const { return url_; }
  const std::string& text() const { return text_; }

  void outcome(const std::string& operation, const std::string& outcome) const {
    server_.call("POST", "/v1/runs/" + id_ + "/outcomes",
                 {{"operation", operation}, {"outcome", outcome}});
  }

  std::string verdict() {
    const auto report = server_.call("POST", "/v1/runs/" + id_ + "/end", {{"done", true}});
    text_ = report["text"];
    return report["verdict"];
  }

 private:
  const MishapServer& server_;
  std::string id_;
  std::string url_;
  std::string text_;
};

const MishapServer& mishap() {
  static const MishapServer server;
  return server;
}

// A client that is worth its name waits before it tries again.
void back_off(int attempt) {
  poll(nullptr, 0, 150 << attempt);
}

// Your client. This one books with one key for all attempts, or with none.
bool book(const std::string& url, const std::string& reference, bool with_key) {
  const auto body = json{{"reference", reference}, {"product", "prod_1"}}.dump();
  httplib::Headers headers;
  if (with_key) headers.emplace("Idempotency-Key", "key-" + reference);
  for (int attempt = 0; attempt < 3; ++attempt) {
    httplib::Client client(url);
    client.set_read_timeout(2);
    if (attempt > 0) back_off(attempt);
    const auto answer = client.Post("/v1/bookings", headers, body, "application/json");
    if (answer && answer->status == 201) return true;
  }
  return false;
}

const json kLostAnswer = {{"api", "booking"},
                          {"faults", {"POST /v1/bookings response_lost attempt=1"}},
                          {"require", {"no_duplicate_effects"}}};

TEST(MyClient, BooksOnceAlthoughTheAnswerIsLost) {
  MishapRun run(mishap(), kLostAnswer);
  ASSERT_TRUE(book(run.url(), "r-1", true));
  run.outcome("r-1", "succeeded");
  EXPECT_EQ(run.verdict(), "pass") << run.text();
}

// What the wrong client looks like in such a test.
TEST(MyClient, BooksTwiceWithoutAKey) {
  MishapRun run(mishap(), kLostAnswer);
  ASSERT_TRUE(book(run.url(), "r-1", false));
  EXPECT_EQ(run.verdict(), "fail");
  EXPECT_NE(run.text().find("2 bookings for one operation"), std::string::npos) << run.text();
}

}  // namespace
