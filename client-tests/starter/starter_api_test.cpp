#include "client-tests/starter/starter_api.h"

#include <gmock/gmock.h>

#include "client-tests/starter/yaml_text.h"
#include "mishap/scenario.h"
#include "mishap/server.h"

namespace mishap::client_tests {
namespace {

using server::Exchange;
using testing::HasSubstr;
using testing::Not;

Exchange call(std::string method, std::string path, StatusCode status = 404) {
  Exchange exchange;
  exchange.request.method = std::move(method);
  exchange.request.target = path;
  exchange.request.path = std::move(path);
  exchange.answer.status = status;
  exchange.role = status == 404 ? server::Role::Unmatched : server::Role::Attempt;
  return exchange;
}

Exchange create(const std::string& path, std::vector<server::MemberSketch> members) {
  auto exchange = call("POST", path);
  exchange.request.body_kind = "json";
  exchange.request.members = std::move(members);
  return exchange;
}

Recording control(std::deque<Exchange> exchanges) {
  Recording recording;
  recording.journal.exchanges = std::move(exchanges);
  return recording;
}

std::string text_of(std::deque<Exchange> exchanges) {
  return starter_text(starter_api_of(control(std::move(exchanges))), "mishap test core");
}

// The lines of the file that are no comment.
std::string body_of(const std::string& text) {
  std::string body;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    if (text[at] != '#') body += text.substr(at, end - at + 1);
    at = end + 1;
  }
  return body;
}

std::string said_about(const std::string& text) {
  std::string said;
  std::string in_place = "mishap: 1\nscenario: s\napi:\n";
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    const auto line = text.substr(at, end - at);
    if (!line.starts_with("mishap:") && !line.starts_with("#")) in_place += "  " + line + "\n";
    at = end + 1;
  }
  const auto scenario = scenarios::load_scenario_text("s.yaml", in_place, ".", {});
  for (const auto& one : scenario.diagnostics) said += render(one);
  if (scenario.scenario) {
    for (const auto& one : server::check_scenario(*scenario.scenario)) said += render(one);
  }
  return said;
}

TEST(StarterApi, IsWrittenFromTheRequests) {
  const auto text = text_of({
      call("POST", "/oauth/token"),
      create("/v1/orders", {{"external_id", "string"}, {"amount", "integer"}, {"note", "null"}}),
      create("/v1/orders", {{"external_id", "string"}, {"amount", "number"}}),
      call("GET", "/v1/orders/17"),
      call("GET", "/v1/products"),
      call("PATCH", "/v1/customers/cus_12"),
      call("POST", "/v1/orders/search"),
      call("GET", "/v1/me"),
  });
  EXPECT_EQ(body_of(text), R"(mishap: 1
api: starter

any_path: true

resources:
  customers:
    path: /v1/customers
    verbs: [patch]
    items:                     # asked for by id; add what your client reads of them
      - {id: "cus_12"}
  orders:
    path: /v1/orders
    verbs: [create, read, list]
    reference: external_id
    items:                     # asked for by id; add what your client reads of them
      - {id: "17"}
    schema:                    # what its bodies looked like
      type: object
      # required: [external_id, amount]
      properties:
        external_id: {type: string}
        amount: {type: number}
        note: {}
  products:
    path: /v1/products
    verbs: [list]

routes:
  - on: POST /oauth/token   # give it what your client reads
    json: {access_token: starter-token, token_type: Bearer, expires_in: 3600}
  - on: GET /v1/me
    json: {ok: true}

safe_posts:                    # they only read
  - /oauth/token
  - /v1/orders/search
)");
  EXPECT_EQ(said_about(text), "");
}

TEST(StarterApi, LeavesWhatLiesBelowAnItemToAnyPath) {
  const auto text = text_of({create("/customers/42/orders", {{"sku", "string"}})});
  EXPECT_THAT(text, HasSubstr("any_path: true"));
  EXPECT_THAT(text, Not(HasSubstr("42")));
  EXPECT_EQ(said_about(text), "");
}

TEST(StarterApi, DoesNotSeedWhatTheControlMade) {
  auto recording = control({create("/orders", {}), call("GET", "/orders/orders_1", 200)});
  recording.journal.effects.emplace_back();
  recording.journal.effects.back().id = "orders_1";
  EXPECT_TRUE(starter_api_of(recording).resources.at(0).ids.empty());
}

TEST(StarterApi, KeepsAGuessedReferenceAsAComment) {
  auto first = create("/orders", {{"order_ref", "string"}});
  const auto api = starter_api_of(control({first, first}));
  EXPECT_EQ(api.resources.at(0).reference, "order_ref");
  EXPECT_FALSE(api.resources.at(0).reference_is_sure);
  EXPECT_THAT(text_of({first}), HasSubstr("# reference: order_ref"));
}

TEST(StarterApi, DoesNotTakeAValueThatComesTwiceForAReference) {
  auto one = create("/orders", {{"external_id", "string"}});
  one.request.reference = "customer-7";
  EXPECT_FALSE(starter_api_of(control({one, one})).resources.at(0).reference_is_sure);
}

TEST(StarterApi, AnswersAnUpdateByPostAndOddVerbs) {
  const auto text = text_of({call("POST", "/v1/charges"), call("POST", "/v1/charges/ch_1"),
                             call("PUT", "/v1/settings"), call("DELETE", "/v1/charges/ch_9")});
  EXPECT_THAT(text, HasSubstr("- on: POST /v1/charges/:id"));
  EXPECT_THAT(text, HasSubstr("- on: PUT /v1/settings"));
  EXPECT_THAT(text, HasSubstr("- {id: \"ch_9\"}"));
  EXPECT_EQ(said_about(text), "");
}

TEST(StarterApi, HasNoSchemaWhereABodyIsNoMap) {
  auto upload = call("POST", "/files");
  upload.request.body_kind = "multipart";
  EXPECT_THAT(text_of({upload}), Not(HasSubstr("schema:")));
}

TEST(StarterApi, NamesAKeyThatComesInAFieldOfItsOwn) {
  auto keyed = create("/orders", {{"sku", "string"}});
  keyed.request.key = "k-1";
  keyed.request.headers = {{"x-idempotency-key", "k-1", false}};
  const auto text = text_of({keyed});
  EXPECT_THAT(text, HasSubstr("idempotency: {header: x-idempotency-key}"));
  EXPECT_EQ(said_about(text), "");
}

TEST(StarterApi, IsLintCleanWhateverWasSent) {
  auto hostile = create("/a b/{x}", {{"on", "string"}, {"a: b", "string"}, {"12", "integer"}});
  auto names = create("/orders", {{"on", "boolean"}, {"null", "null"}, {"a.b", "array"}});
  std::deque<Exchange> many = {hostile,
                               names,
                               call("GET", "/"),
                               call("GET", "/x'y"),
                               call("BREW", "/pot"),
                               call("GET", "/items/\"quoted\"")};
  for (int i = 0; i < 200; ++i)
    many.push_back(call("POST", "/c" + std::string(static_cast<std::size_t>(i % 90) + 1, 'x') +
                                    "/y" + std::to_string(i) + "z"));
  const auto text = text_of(many);
  EXPECT_EQ(said_about(text), "");
  EXPECT_THAT(text, HasSubstr("More was seen"));
}

TEST(YamlWord, QuotesWhatYamlWouldTakeForSomethingElse) {
  EXPECT_EQ(yaml_word("order_ref"), "order_ref");
  EXPECT_EQ(yaml_word("on"), "\"on\"");
  EXPECT_EQ(yaml_word("12"), "\"12\"");
  EXPECT_EQ(yaml_word("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_word(""), "\"\"");
  EXPECT_EQ(yaml_text("a\"\\\n"), "\"a\\\"\\\\\\x0a\"");
}

}  // namespace
}  // namespace mishap::client_tests
