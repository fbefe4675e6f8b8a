#include "server/control/api.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "server/control/fake_runs_testing.h"

namespace mishap::server::control {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

struct ApiTest : testing::Test {
  Reply ask(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& type = "application/json") {
    Call call;
    call.method = method;
    call.path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string::npos) call.query = target.substr(target.find('?') + 1);
    call.headers = {{"Host", "127.0.0.1:1"}, {"Content-Type", type}};
    call.body = body;
    return api.answer(call);
  }
  json begun(const std::string& body = "{}") {
    const auto reply = ask("POST", "/v1/runs", body);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return json::parse(reply.body);
  }
  std::string run() { return "/v1/runs/" + begun()["id"].get<std::string>(); }
  std::string detail(const Reply& reply) {
    EXPECT_EQ(reply.type, "application/problem+json");
    const auto problem = json::parse(reply.body);
    EXPECT_EQ(problem["status"], reply.status);
    EXPECT_FALSE(problem["title"].get<std::string>().empty());
    return problem["detail"];
  }

  FakeMaker maker;
  StandingClock clock;
  RunBook book{maker, clock, {}};
  int asked_to_end = 0;
  Api api{book, {}, "0.1", [this] { ++asked_to_end; }};
};

TEST_F(ApiTest, BeginsARun) {
  const auto reply = ask("POST", "/v1/runs", R"({
    "scenario": "core/x", "api": "booking", "name": "test_x", "set": {"create": "POST /o", "n": 3},
    "faults": ["POST /x response_lost attempt=1"], "promise": {"max_attempts": 5}, "seed": 9, "copies": 2,
    "require": ["no_duplicate_effects"], "ignore": ["no_immediate_retry"]})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  const auto made = json::parse(reply.body);
  EXPECT_EQ(made["url"], "http://127.0.0.1:1");
  EXPECT_EQ(made["urls"], (json{{"booking", "http://127.0.0.1:1"}}));
  EXPECT_EQ(made["copies"].size(), 2U);
  EXPECT_EQ(made["copies"][1]["booking"], "http://127.0.0.1:2");
  EXPECT_EQ(made["token"], "tok");
  EXPECT_EQ(made["name"], "test_x");
  EXPECT_EQ(reply.headers.front().value, "/v1/runs/" + made["id"].get<std::string>());
  const auto& asked = maker.seen.last_request;
  EXPECT_EQ(asked.scenario, "core/x");
  EXPECT_EQ(asked.set, (std::vector<NameValue>{{"create", "POST /o"}, {"n", "3"}}));
  EXPECT_EQ(asked.promise, (std::vector<NameValue>{{"max_attempts", "5"}}));
  EXPECT_EQ(asked.seed, 9U);
  EXPECT_EQ(asked.copies, 2);
  EXPECT_THAT(asked.require, ElementsAre("no_duplicate_effects"));
  EXPECT_THAT(asked.ignore, ElementsAre("no_immediate_retry"));
}

TEST_F(ApiTest, SaysWhatIsWrongWithARequest) {
  struct Case {
    const char* body;
    int status;
    const char* says;
  };
  for (const auto& one : std::initializer_list<Case>{
           {"{", 400, "not JSON"},
           {"[]", 400, "not a JSON object"},
           {"", 400, "not JSON"},
           {R"({"senario": "core/x"})", 422, "did you mean \"scenario\"?"},
           {R"({"scenario": 3})", 422, "\"scenario\" is a text"},
           {R"({"faults": "x"})", 422, "\"faults\" is a list"},
           {R"({"faults": [3]})", 422, "\"faults\" is a list of texts"},
           {R"({"set": []})", 422, "\"set\" is an object"},
           {R"({"seed": -1})", 422, "\"seed\" is a whole number"},
           {R"({"seed": 1.5})", 422, "\"seed\" is a whole number"},
           {R"({"seed": 18446744073709551615})", 422, "\"seed\" is a whole number"},
           {R"({"copies": 65})", 422, "1 to 64"},
           {R"({"scenario": "a", "yaml": "b"})", 422, "not both"},
       }) {
    const auto reply = ask("POST", "/v1/runs", one.body);
    EXPECT_EQ(reply.status, one.status) << one.body;
    EXPECT_THAT(detail(reply), HasSubstr(one.says));
  }
  EXPECT_EQ(maker.seen.begun, 0);
}

TEST_F(ApiTest, ErrorsOfAScenarioCarryTheirPlace) {
  const auto reply = ask("POST", "/v1/runs", R"({"scenario": "bad"})");
  EXPECT_EQ(reply.status, 422);
  const auto error = json::parse(reply.body)["errors"][0];
  EXPECT_EQ(error["line"], 3);
  EXPECT_EQ(error["column"], 9);
  EXPECT_EQ(error["source"], "yaml");
}

TEST_F(ApiTest, TakesOutcomesInEveryShape) {
  const auto path = run() + "/outcomes";
  EXPECT_EQ(ask("POST", path, R"({"operation": "r-1"})").status, 200);
  EXPECT_EQ(maker.seen.last_outcomes, "{\"operation\":\"r-1\"}\n");
  EXPECT_EQ(ask("POST", path, R"([{"a": 1}, {"b": 2}])").status, 200);
  EXPECT_EQ(maker.seen.last_outcomes, "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(ask("POST", path + "?copy=1", "{\"a\":1}\n{\"b\":2}", "application/x-ndjson").status,
            200);
  EXPECT_EQ(maker.seen.last_outcomes, "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(maker.seen.last_copy, 1);
  EXPECT_EQ(ask("POST", path + "?copy=2", "{}").status, 422);
  EXPECT_EQ(ask("POST", path + "?copy=x", "{}").status, 422);
  const auto bad = ask("POST", path, "bad");
  EXPECT_EQ(bad.status, 422);
  EXPECT_THAT(detail(bad), HasSubstr("line 1: not JSON"));
}

TEST_F(ApiTest, EndsARunWithAReport) {
  const auto path = run();
  const auto reply = ask("POST", path + "/end", R"({"exit_code": 3})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto report = json::parse(reply.body);
  EXPECT_EQ(report["format"], 1);
  EXPECT_EQ(report["verdict"], "fail");
  EXPECT_EQ(report["text"], "long text");
  EXPECT_EQ(maker.seen.last_end.exit_code, 3);
  EXPECT_FALSE(maker.seen.last_end.done);
  EXPECT_EQ(json::parse(ask("GET", path).body)["ended"], true);
  EXPECT_EQ(json::parse(ask("GET", path).body)["verdict"], "fail");
}

TEST_F(ApiTest, AnEndNeedsNoBody) {
  EXPECT_EQ(ask("POST", run() + "/end").status, 200);
  EXPECT_FALSE(maker.seen.last_end.exit_code);
  EXPECT_EQ(ask("POST", run() + "/end", R"({"exit_code": "0"})").status, 422);
  EXPECT_EQ(ask("POST", run() + "/end", R"({"done": 1})").status, 422);
}

TEST_F(ApiTest, ListsAndForgets) {
  const auto path = run();
  EXPECT_EQ(json::parse(ask("GET", "/v1/runs").body)["runs"].size(), 1U);
  EXPECT_EQ(json::parse(ask("GET", path).body)["requests"], 3);
  EXPECT_EQ(ask("GET", "/v1/runs").body.find("tok"), std::string::npos) << "a credential in a list";
  EXPECT_EQ(ask("DELETE", path).status, 204);
  EXPECT_EQ(ask("GET", path).status, 404);
  EXPECT_EQ(ask("DELETE", path).status, 404);
}

TEST_F(ApiTest, KnowsItsPathsAndMethods) {
  EXPECT_EQ(ask("GET", "/").status, 404);
  EXPECT_EQ(ask("GET", "/v1/runs/").status, 404);
  EXPECT_EQ(ask("PUT", "/v1/runs").status, 405);
  EXPECT_EQ(ask("GET", run() + "/end").status, 405);
  EXPECT_EQ(ask("POST", run() + "/nothing").status, 404);
  EXPECT_EQ(ask("POST", "/v1/health").status, 405);
  EXPECT_EQ(ask("GET", "/v1/end").status, 405);
  EXPECT_EQ(asked_to_end, 0);
}

TEST_F(ApiTest, BodiesAreJson) {
  EXPECT_EQ(ask("POST", "/v1/runs", "{}", "application/x-www-form-urlencoded").status, 415);
  EXPECT_EQ(ask("POST", "/v1/runs", "{}", "text/plain").status, 415);
  EXPECT_EQ(ask("POST", "/v1/runs", "{}", "application/json; charset=utf-8").status, 201);
}

TEST_F(ApiTest, TellsItsHealthAndEnds) {
  run();
  const auto health = json::parse(ask("GET", "/v1/health").body);
  EXPECT_EQ(health["status"], "ok");
  EXPECT_EQ(health["live_runs"], 1);
  EXPECT_EQ(ask("POST", "/v1/end").status, 202);
  EXPECT_EQ(asked_to_end, 1);
}

TEST_F(ApiTest, DeepAndLongBodiesDoNoHarm) {
  const std::string deep(500'000, '[');
  EXPECT_EQ(ask("POST", "/v1/runs", deep).status, 400);
  EXPECT_EQ(
      ask("POST", "/v1/runs", "{\"set\": " + deep + std::string(500'000, ']') + "}").status / 100,
      4);
  EXPECT_EQ(ask("POST", run() + "/outcomes", deep).status, 200);
  EXPECT_EQ(ask("POST", "/v1/runs", "{\"name\": \"\xff\xfe\"}").status, 400);
}

}  // namespace
}  // namespace mishap::server::control
