#include "server/wire/faults_on_the_wire_fixture.h"

// The faults that frame and fill an answer in other ways, and cuts at its named places.
namespace mishap::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// "HTTP/1.1 201 Created CRLF" and two fields, in the order of the vendor.
const std::string kStatusLine = "HTTP/1.1 201 Created\r\n";

auto sees(std::string begin, End how, bool healthy) {
  return [begin = std::move(begin), how, healthy](const Sight& s) {
    EXPECT_THAT(s.bytes, StartsWith(begin));
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(s.exchange.answer.healthy, healthy);
    EXPECT_TRUE(s.exchange.answer.changed);
    EXPECT_EQ(s.exchange.receipt.bytes_written, s.exchange.receipt.bytes_planned);
    EXPECT_EQ(effects_of_the_first(s), 1U);
  };
}

auto sees_body(const std::string& part, End how, bool healthy) {
  return [part, how, healthy](const Sight& s) {
    sees(kStatusLine, how, healthy)(s);
    EXPECT_THAT(s.body(), HasSubstr(part));
  };
}

auto sees_field(const std::string& line, End how, bool healthy = false) {
  return [line, how, healthy](const Sight& s) {
    sees(kStatusLine, how, healthy)(s);
    EXPECT_THAT(s.bytes, HasSubstr("\r\n" + line + "\r\n"));
  };
}

auto cut_behind(const std::string& pattern, End how) {
  return [pattern, how](const Sight& s) {
    EXPECT_THAT(s.bytes, MatchesRegex(pattern));
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(s.exchange.receipt.bytes_written, s.bytes.size());
    EXPECT_EQ(effects_of_the_first(s), 1U);
  };
}

void plays_interim(const Sight& s) {
  const std::string one = "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_THAT(s.bytes, StartsWith(one + one + one + kStatusLine));
  EXPECT_EQ(s.exchange.receipt.interim_bytes, 3 * one.size());
  EXPECT_TRUE(s.exchange.answer.healthy);
  EXPECT_GE(*s.exchange.receipt.first_write - *s.exchange.applied, 20ms);
}

void plays_interim_without_end(const Sight& s) {
  EXPECT_THAT(s.bytes,
              StartsWith("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"));
  EXPECT_THAT(s.bytes, Not(HasSubstr("201")));
  EXPECT_EQ(s.end, End::Open);
}

// Nothing of it is seen on the wire: the answer is that of the first, and right.
void is_done_twice(const Sight& s) {
  EXPECT_THAT(s.bytes, StartsWith(kStatusLine));
  EXPECT_TRUE(s.exchange.answer.healthy);
  EXPECT_EQ(effects_of_the_first(s), 2U);
}

void holds_open(const Sight& s) {
  sees_field("Connection: close", End::Fin, true)(s);
  EXPECT_GE(*s.exchange.receipt.ended - *s.exchange.receipt.last_write, 80ms);
}

auto ends_at_rest(End how) {
  return [how](const Sight& s) {
    EXPECT_THAT(s.body(), EndsWith("}"));
    EXPECT_EQ(s.end, how);
    EXPECT_TRUE(s.exchange.answer.healthy);
    EXPECT_GE(s.ended - *s.exchange.receipt.last_write, 80ms);
  };
}

}  // namespace

std::vector<Row> answer_rows() {
  const std::string last = "\r\n0\r\n\r\n";
  return {
      {"reset_behind_the_status_line", "{kind: reset, at: response_head, after: status line}",
       cut_behind("HTTP/1.1 201 Created\r\n", End::Reset)},
      {"close_behind_a_field", "{kind: close, at: response_head, after: header 1}",
       cut_behind("HTTP/1.1 201 Created\r\n[^\r]*\r\n", End::Fin)},
      {"stall_in_a_field", "{kind: stall, at: response_head, after: header 1 + 3B}",
       cut_behind("HTTP/1.1 201 Created\r\n[^\r]*\r\n...", End::Open), false},
      {"close_where_there_is_no_such_field", "{kind: close, at: response_head, after: header 99}",
       [](const Sight& s) { EXPECT_TRUE(s.exchange.answer.healthy); }, true, false},
      {"half_close", "{kind: close, at: response_head, after: 12B, half: true}",
       [](const Sight& s) {
         EXPECT_EQ(s.bytes, "HTTP/1.1 201");
         EXPECT_EQ(s.end, End::Fin);
       },
       true, true, kToTheEnd},

      {"carried_out_twice", "carried_out_twice", is_done_twice},
      {"extra_fields", "{kind: extra_fields, fields: {X-Quota: '3'}}",
       sees_field("X-Quota: 3", End::Open, true)},

      {"chunked", "{kind: chunked, size: 10B}", sees_body("a\r\n{\"id\":\"", End::Open, true), true,
       true, last},
      {"chunked_with_trailers", "{kind: chunked, trailers: {X-Sum: abc}}",
       sees_body("\r\n0\r\nX-Sum: abc\r\n\r\n", End::Open, true), true, true, "abc\r\n\r\n"},
      {"chunked_bad_size", "{kind: chunked, how: bad_size}",
       sees_body("xyz\r\n{\"id\":", End::Fin, false), true, true, kToTheEnd},
      {"chunked_huge_size", "{kind: chunked, how: huge_size}",
       sees_body("1ffffffffffffffff\r\n{", End::Fin, false), true, true, kToTheEnd},
      {"chunked_short_size", "{kind: chunked, how: short_size}",
       sees_body("f\r\n{\"id\":", End::Fin, false), true, true, kToTheEnd},
      {"chunked_no_line_end", "{kind: chunked, how: no_line_end}",
       sees_body("10\r\n{\"id\":", End::Fin, false), true, true, kToTheEnd},
      {"chunked_no_last_chunk", "{kind: chunked, how: no_last_chunk}",
       [last](const Sight& s) {
         sees_body("10\r\n{\"id\":", End::Fin, false)(s);
         EXPECT_THAT(s.bytes, Not(EndsWith(last)));
         EXPECT_EQ(s.exchange.receipt.delivery, Delivery::PartOfBody);
       },
       true, true, kToTheEnd},

      {"content_length_too_long", "{kind: content_length, by: 5B}",
       [](const Sight& s) {
         sees(kStatusLine, End::Fin, false)(s);
         EXPECT_THAT(s.bytes,
                     HasSubstr("Content-Length: " + std::to_string(s.body().size() + 5) + "\r\n"));
         EXPECT_EQ(s.exchange.receipt.delivery, Delivery::PartOfBody);
       },
       true, true, kToTheEnd},
      {"content_length_too_short", "{kind: content_length, how: too_short, by: 5B}",
       [](const Sight& s) {
         sees(kStatusLine, End::Fin, false)(s);
         EXPECT_THAT(s.bytes,
                     HasSubstr("Content-Length: " + std::to_string(s.body().size() - 5) + "\r\n"));
       },
       true, true, kToTheEnd},
      {"content_length_missing", "{kind: content_length, how: missing}",
       [](const Sight& s) {
         sees(kStatusLine, End::Fin, true)(s);
         EXPECT_THAT(s.bytes, Not(HasSubstr("Content-Length")));
         EXPECT_EQ(s.exchange.receipt.delivery, Delivery::Complete);
       },
       true, true, kToTheEnd},
      {"content_length_negative", "{kind: content_length, how: negative}",
       [](const Sight& s) {
         sees_field("Content-Length: -" + std::to_string(s.body().size()), End::Fin)(s);
       },
       true, true, kToTheEnd},
      {"content_length_invalid", "{kind: content_length, how: invalid}",
       [](const Sight& s) {
         sees_field("Content-Length: " + std::to_string(s.body().size()) + "x", End::Fin)(s);
       },
       true, true, kToTheEnd},
      {"content_length_huge", "{kind: content_length, how: huge}",
       sees_field("Content-Length: 99999999999999999999999", End::Fin), true, true, kToTheEnd},
      {"content_length_twice", "{kind: content_length, how: twice, by: 1B}",
       [](const Sight& s) {
         sees_field("Content-Length: " + std::to_string(s.body().size()) +
                        "\r\nContent-Length: " + std::to_string(s.body().size() + 1),
                    End::Fin)(s);
       },
       true, true, kToTheEnd},
      {"content_length_with_chunked", "{kind: content_length, how: with_chunked}",
       [last](const Sight& s) {
         sees_field("Transfer-Encoding: chunked", End::Fin)(s);
         EXPECT_THAT(s.bytes, HasSubstr("Content-Length: "));
         EXPECT_THAT(s.bytes, EndsWith(last));
       },
       true, true, kToTheEnd},

      {"many_headers", "{kind: many_headers, count: 3000, size: 10B}",
       [](const Sight& s) {
         sees_field("X-Filler-3000: xxxxxxxxxx", End::Open, true)(s);
         EXPECT_THAT(s.body(), EndsWith("}"));
       }},
      {"one_huge_header", "{kind: many_headers, count: 1, size: 300KiB}",
       sees_field("X-Filler-1: " + std::string(300 * 1024, 'x'), End::Open, true)},

      {"interim", "{kind: interim, gap: 10ms}", plays_interim, true, true, "}"},
      {"interim_without_end", "{kind: interim, status: 102, gap: 20ms, endless: true}",
       plays_interim_without_end, false},

      {"garbage", "garbage",
       [](const Sight& s) {
         EXPECT_EQ(s.bytes, "SSH-2.0-OpenSSH_9.2");
         EXPECT_EQ(s.end, End::Fin);
         EXPECT_EQ(effects_of_the_first(s), 1U);
       },
       true, true, kToTheEnd},
      {"garbage_behind_a_field_then_rst",
       "{kind: garbage, after: header 1, hex: \"00ff0a\", then: rst}",
       [](const Sight& s) {
         EXPECT_THAT(s.bytes, StartsWith(kStatusLine));
         EXPECT_THAT(s.bytes, EndsWith(std::string("\r\n\0\xff\n", 5)));
         EXPECT_EQ(s.end, End::Reset);
       },
       true, true, kToTheEnd},
      {"garbage_in_the_body_then_silence",
       "{kind: garbage, at: response_body, after: 3B, bytes: \"<!>\", then: stall}",
       [](const Sight& s) {
         EXPECT_THAT(s.body(), EndsWith("{\"i<!>"));
         EXPECT_EQ(s.end, End::Open);
       },
       false},

      {"surplus_bytes", "{kind: surplus, bytes: loose}",
       [](const Sight& s) { sees_body("}loose", End::Open, true)(s); }, true, true, "loose"},
      {"surplus_answer", "{kind: surplus, status: 202}",
       [](const Sight& s) {
         sees_body("}HTTP/1.1 202 Accepted\r\n", End::Open, true)(s);
         EXPECT_THAT(s.bytes, EndsWith(R"("surplus":true})"));
       },
       true, true, R"("surplus":true})"},
      {"hold_open", "{kind: hold_open, for: 80ms}", holds_open, true, true, kToTheEnd},

      {"keep_alive", "{kind: keep_alive, timeout: 2s, max: 9}",
       sees_field("Keep-Alive: timeout=2, max=9", End::Open, true)},
      {"idle_close", "{kind: idle_close, after: 80ms}", ends_at_rest(End::Fin), true, true,
       kToTheEnd},
      {"idle_close_by_rst", "{kind: idle_close, after: 80ms, by: rst}", ends_at_rest(End::Reset),
       true, true, kToTheEnd},
      {"idle_close_that_was_not_waited_for", "{kind: idle_close, after: 20s}",
       [](const Sight& s) { EXPECT_TRUE(s.exchange.answer.healthy); }, true, false},

      {"gzip_right", "{kind: gzip, how: right}", sees_body("\x1f\x8b", End::Open, true)},
      {"gzip_corrupt", "gzip", sees_body("\x1f\x8b", End::Open, false)},
      {"gzip_of_nothing", "{kind: gzip, how: not_gzip}", sees_body("{\"id\":", End::Open, false)},
      {"large_body", "{kind: large_body, size: 3MiB}",
       [](const Sight& s) {
         sees_body(std::string(100, 'x'), End::Open, true)(s);
         EXPECT_GT(s.body().size(), 3U * 1024 * 1024);
         EXPECT_THAT(s.body(), EndsWith("}"));
       }},
      {"bad_text", "bad_text", sees_body("\xFF\xFE\xC0\xAF\"", End::Open, false)},
      {"byte_order_mark", "{kind: bad_text, how: bom}",
       sees_body("\xEF\xBB\xBF{", End::Open, true)},
      {"odd_json", "{kind: odd_json, how: duplicate_names}",
       sees_body(R"({"twice":1,"twice":2,)", End::Open, true)},
  };
}

INSTANTIATE_TEST_SUITE_P(Answers, FaultOnTheWire, testing::ValuesIn(answer_rows()),
                         [](const auto& row) { return row.param.name; });

// A framing fault decides at the head what a cut meets in the body.
class CutInChunks : public FaultOnTheWire {};

TEST_P(CutInChunks, LiesBehindItsPlace) {
  const Row& row = GetParam();
  begin_with(
      "  - {on: any, when: {request: 1}, fault: {kind: chunked, size: 4B, trailers: {T: v}}}\n"
      "  - {on: any, when: {request: 1}, at: response_body, do: reset, after: " +
      row.fault + "}\n");
  auto sight = look(true, kToTheEnd);
  next_request_is_clean();
  const auto hits = take_journal(sight);
  ASSERT_EQ(hits.size(), 2U);
  for (const RuleHit& hit : hits) EXPECT_TRUE(hit.delivered) << hit.rule << hit.shortfall;
  EXPECT_EQ(sight.end, End::Reset);
  row.check(sight);
}

auto body_ends_with(const std::string& text) {
  return [text](const Sight& s) { EXPECT_THAT(s.body(), EndsWith(text)); };
}

INSTANTIATE_TEST_SUITE_P(
    Places, CutInChunks,
    testing::Values(Row{"size", "chunk size 1", body_ends_with("4\r\n")},
                    Row{"in_size", "chunk 1 + 3B", body_ends_with("{\"id\r\n4")},
                    Row{"data", "chunk 1", body_ends_with("4\r\n{\"id")},
                    Row{"in_data", "chunk size 2 + 1B", body_ends_with("{\"id\r\n4\r\n\"")},
                    Row{"last_chunk", "last chunk", body_ends_with("\r\n0\r\n")},
                    Row{"trailer", "trailer 1", body_ends_with("\r\n0\r\nT: v\r\n")}),
    [](const auto& row) { return row.param.name; });

class Invitation : public FaultOnTheWire {
 protected:
  // A client that waits for its 100 a while, and then sends the body all the same.
  std::string post_after_asking(const std::string& fault) {
    begin(fault);
    RawClient client(port());
    client.send(
        "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
        "Content-Type: application/json\r\nContent-Length: " +
        std::to_string(kBody.size()) + "\r\n\r\n");
    const std::string invited = client.receive_for(150ms);
    client.send(kBody);
    EXPECT_THAT(client.receive_until("\"}"), HasSubstr("HTTP/1.1 201"));
    client.close();
    Sight sight;
    const auto hits = take_journal(sight);
    EXPECT_EQ(hits.size(), 1U);
    for (const RuleHit& hit : hits) EXPECT_TRUE(hit.delivered) << hit.shortfall;
    return invited;
  }
};

TEST_F(Invitation, IsWithheld) {
  EXPECT_EQ(post_after_asking("expect_continue"), "");
}

TEST_F(Invitation, IsRepeated) {
  const std::string one = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(post_after_asking("{kind: expect_continue, how: repeated, count: 3}"), one + one + one);
}

// Three bookings in one request.
class BatchOnTheWire : public FaultOnTheWire {
 protected:
  Sight look_at_batch(const std::string& fault) {
    begin_scenario("api: booking\nfaults:\n  - {on: any, when: {request: 1}, fault: " + fault +
                   "}\n");
    RawClient client(port());
    client.send(post("/v1/bookings/batch",
                     R"({"items":[)" + item("a") + "," + item("b") + "," + item("c") + "]}"));
    Sight sight;
    sight.bytes = receive_body(client, client.receive_until("\r\n\r\n"));
    sight.end = client.end();
    client.close();
    const auto hits = take_journal(sight);
    EXPECT_EQ(hits.size(), 1U);
    for (const RuleHit& hit : hits) EXPECT_TRUE(hit.delivered) << hit.shortfall;
    EXPECT_THAT(sight.bytes, StartsWith("HTTP/1.1 207 Multi-Status\r\n"));
    EXPECT_EQ(sight.exchange.receipt.delivery, Delivery::Complete);
    return sight;
  }

  static std::string item(const std::string& reference) {
    return R"({"product":"tent","reference":")" + reference + R"("})";
  }
};

TEST_F(BatchOnTheWire, HasAnItemThatFailsAndIsNotDone) {
  const Sight sight = look_at_batch("{kind: items_failed, items: 2, retry_after: '1'}");
  EXPECT_THAT(sight.bytes, HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_THAT(sight.body(), MatchesRegex(R"(.*"status":201,.*"status":503,.*"status":201,.*)"));
  ASSERT_EQ(sight.effects.size(), 2U);
  EXPECT_EQ(sight.effects.at(1).reference, "c");
}

TEST_F(BatchOnTheWire, HasItemsThatAreDoneAndToldThatTheyFailed) {
  const Sight sight =
      look_at_batch("{kind: items_failed, items: 2.., status: 504, at: after_effect}");
  EXPECT_THAT(sight.body(), MatchesRegex(R"(.*"status":201,.*"status":504,.*"status":504,.*)"));
  EXPECT_EQ(sight.effects.size(), 3U);
}

// No fault of the catalogue is without a row.
TEST(FaultsOnTheWire, CoverEveryFault) {
  std::vector<Row> rows = base_rows();
  for (Row& row : answer_rows()) rows.push_back(std::move(row));
  for (Row& row : reading_rows()) rows.push_back(std::move(row));
  rows.push_back({"by_the_tests_of_the_invitation", "expect_continue", {}});
  rows.push_back({"by_the_tests_of_batches", "items_failed", {}});
  rows.push_back({"by_models_on_the_wire_test", "quota, capacity, barrier", {}});
  rows.push_back({"by_listener_on_the_wire_test", "refuse, unanswered, connection_limit", {}});
  rows.push_back({"by_the_tests_of_tls", "certificate tls_alert plain_bytes no_close_notify", {}});
  for (const auto& entry : fault_catalogue()) {
    const auto name = std::string(entry.name);
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const Row& row) {
      return row.fault.find(name) != std::string::npos;
    })) << name;
  }
}

}  // namespace mishap::server
