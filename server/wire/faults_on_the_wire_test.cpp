#include "server/wire/faults_on_the_wire_fixture.h"

// The base faults at every point where they make sense. Those that frame and fill an answer in
// other ways are in answers_on_the_wire_test.cpp.
namespace mishap::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_P(FaultOnTheWire, IsSeenByASocketAndProvenByTheJournal) {
  play(GetParam());
}

void whole_201(const Sight& s) {
  EXPECT_THAT(s.bytes, StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(s.body(), EndsWith("}"));
  EXPECT_EQ(effects_of_the_first(s), 1U);
}

auto late_201(Duration least) {
  return [least](const Sight& s) {
    whole_201(s);
    EXPECT_GE(s.first_byte, least);
  };
}

auto ended(End how, std::size_t effects) {
  return [how, effects](const Sight& s) {
    EXPECT_EQ(s.bytes, "");
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(effects_of_the_first(s), effects);
  };
}

void silent(const Sight& s, std::size_t effects) {
  EXPECT_EQ(s.bytes, "");
  EXPECT_EQ(s.end, End::Open);
  EXPECT_EQ(effects_of_the_first(s), effects);
}

auto cut_in_body(End how, std::size_t bytes) {
  return [how, bytes](const Sight& s) {
    EXPECT_THAT(s.bytes, StartsWith("HTTP/1.1 201"));
    EXPECT_EQ(s.body().size(), bytes);
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(effects_of_the_first(s), 1U);
  };
}

auto cut_in_head(End how, std::size_t bytes) {
  return [how, bytes](const Sight& s) {
    EXPECT_EQ(s.bytes, std::string("HTTP/1.1 201 Created\r\n").substr(0, bytes));
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(effects_of_the_first(s), 1U);
  };
}

auto answered(const std::string& begin, std::size_t effects) {
  return [begin, effects](const Sight& s) {
    EXPECT_THAT(s.bytes, StartsWith(begin));
    EXPECT_EQ(effects_of_the_first(s), effects);
  };
}

void body_is(const Sight& s, const std::string& part, bool there) {
  EXPECT_THAT(s.bytes, StartsWith("HTTP/1.1 201"));
  if (there) {
    EXPECT_THAT(s.body(), HasSubstr(part));
  } else {
    EXPECT_THAT(s.body(), Not(HasSubstr(part)));
  }
  EXPECT_EQ(effects_of_the_first(s), 1U);
  EXPECT_FALSE(s.exchange.answer.healthy);
}

}  // namespace

std::vector<Row> base_rows() {
  return {
      {"latency_fixed", "{kind: latency, for: 80ms}", late_201(80ms)},
      {"latency_uniform", "{kind: latency, distribution: uniform, min: 60ms, max: 90ms}",
       late_201(60ms)},
      {"latency_lognormal", "{kind: latency, distribution: lognormal, median: 40ms, max: 90ms}",
       late_201(1ms)},
      {"latency_accept", "{kind: latency, for: 80ms, at: accept}", late_201(70ms)},
      {"latency_request_head", "{kind: latency, for: 80ms, at: request_head}", late_201(70ms)},
      {"latency_after_effect", "{kind: latency, for: 80ms, at: after_effect}",
       [](const Sight& s) {
         late_201(80ms)(s);
         EXPECT_LT(*s.exchange.applied + 70ms, *s.exchange.receipt.first_write);
       }},
      {"latency_response_body", "{kind: latency, for: 80ms, at: response_body}",
       [](const Sight& s) {
         whole_201(s);
         EXPECT_GE(*s.exchange.receipt.last_write - *s.exchange.receipt.first_write, 80ms);
       }},

      {"stall", "stall", [](const Sight& s) { silent(s, 1); }, false},
      {"stall_accept", "{kind: stall, at: accept}", [](const Sight& s) { silent(s, 0); }, false},
      {"stall_request_head", "{kind: stall, at: request_head}",
       [](const Sight& s) { silent(s, 0); }, false},
      {"stall_before_effect", "{kind: stall, at: before_effect}",
       [](const Sight& s) { silent(s, 0); }, false},
      {"stall_response_head", "{kind: stall, at: response_head, after: 12B}",
       cut_in_head(End::Open, 12), false},
      {"stall_response_body", "{kind: stall, at: response_body, after: 7B}",
       cut_in_body(End::Open, 7), false},

      {"close", "close", ended(End::Fin, 0)},
      {"close_accept", "{kind: close, at: accept}", ended(End::Fin, 0)},
      {"close_request_head", "{kind: close, at: request_head}", ended(End::Fin, 0)},
      {"close_after_effect", "{kind: close, at: after_effect}", ended(End::Fin, 1)},
      {"close_response_head", "{kind: close, at: response_head, after: 9B}",
       cut_in_head(End::Fin, 9)},
      {"close_response_body", "{kind: close, at: response_body, after: 5B}",
       cut_in_body(End::Fin, 5)},
      {"close_after_response", "{kind: close, at: after_response}", whole_201},

      {"reset", "reset", ended(End::Reset, 0)},
      {"reset_accept", "{kind: reset, at: accept}", ended(End::Reset, 0)},
      {"reset_request_head", "{kind: reset, at: request_head}", ended(End::Reset, 0)},
      {"reset_after_effect", "{kind: reset, at: after_effect}", ended(End::Reset, 1)},
      {"reset_response_head", "{kind: reset, at: response_head, after: 9B}",
       cut_in_head(End::Reset, 9)},
      {"reset_response_body", "{kind: reset, at: response_body, after: 5B}",
       cut_in_body(End::Reset, 5)},
      {"reset_after_response", "{kind: reset, at: after_response}", whole_201},

      {"status_503", "{kind: status, code: 503, retry_after: \"2\"}",
       [](const Sight& s) {
         answered("HTTP/1.1 503 Service Unavailable\r\n", 0)(s);
         EXPECT_THAT(s.bytes, HasSubstr("Retry-After: 2\r\n"));
         EXPECT_THAT(s.bytes, HasSubstr("application/problem+json"));
       }},
      {"status_retry_after_text", "{kind: status, code: 429, retry_after: soon}",
       [](const Sight& s) { EXPECT_THAT(s.bytes, HasSubstr("\r\nRetry-After: soon\r\n")); }},
      {"status_retry_after_date", "{kind: status, code: 429, retry_after: date+3s}",
       [](const Sight& s) {
         EXPECT_THAT(s.bytes, testing::ContainsRegex("Retry-After: [A-Z][a-z][a-z], [0-9][0-9] "));
         EXPECT_THAT(s.bytes, HasSubstr(" GMT\r\n"));
       }},
      {"status_headers", "{kind: status, code: 418, headers: {X-A: [b, c]}, body: tea}",
       [](const Sight& s) {
         answered("HTTP/1.1 418 ", 0)(s);
         EXPECT_THAT(s.bytes, HasSubstr("X-A: b\r\nX-A: c\r\n"));
         EXPECT_EQ(s.body(), "tea");
       }},
      {"status_request_head", "{kind: status, code: 400, at: request_head}",
       answered("HTTP/1.1 400 ", 0)},
      {"status_after_effect", "{kind: status, code: 500, at: after_effect}",
       answered("HTTP/1.1 500 ", 1)},

      {"invalid_json", "invalid_json",
       [](const Sight& s) {
         body_is(s, "", true);
         EXPECT_THAT(s.bytes, HasSubstr("Content-Length: " + std::to_string(s.body().size())));
       }},
      {"wrong_shape", "wrong_shape", [](const Sight& s) { body_is(s, "\"id\":\"", false); }},
      {"html_page", "html_page",
       [](const Sight& s) {
         answered("HTTP/1.1 200 ", 1)(s);
         EXPECT_THAT(s.bytes, HasSubstr("text/html"));
         EXPECT_THAT(s.body(), HasSubstr("<html"));
       }},
      {"empty_body", "empty_body",
       [](const Sight& s) {
         body_is(s, "id", false);
         EXPECT_THAT(s.bytes, HasSubstr("Content-Length: 0\r\n"));
       }},
      {"truncated_by_fin", "{kind: truncated_body, after: 6B}", cut_in_body(End::Fin, 6)},
      {"truncated_by_rst", "{kind: truncated_body, after: 6B, then: rst}",
       cut_in_body(End::Reset, 6)},
      {"truncated_then_silent", "{kind: truncated_body, after: 6B, then: stall}",
       cut_in_body(End::Open, 6), false},
      {"dribble_body", "{kind: dribble, slice: 10B, gap: 10ms}",
       [](const Sight& s) {
         whole_201(s);
         const auto slices = static_cast<int>((s.body().size() - 1) / 10);
         EXPECT_GE(*s.exchange.receipt.last_write - *s.exchange.receipt.first_write, slices * 10ms);
       }},
      {"dribble_head", "{kind: dribble, slice: 20B, gap: 10ms, at: response_head}", whole_201},

      {"lost_by_reset", "response_lost", ended(End::Reset, 1)},
      {"lost_by_close", "{kind: response_lost, by: close}", ended(End::Fin, 1)},
      {"lost_by_stall", "{kind: response_lost, by: stall}", [](const Sight& s) { silent(s, 1); },
       false},
      {"lost_by_late", "{kind: response_lost, by: late, after: 300ms}",
       [](const Sight& s) { silent(s, 1); }, false},
      {"lost_and_committed_late", "{kind: response_lost, commit_after: 100ms}",
       [](const Sight& s) {
         ended(End::Reset, 1)(s);
         EXPECT_GE(*s.exchange.applied - *s.exchange.receipt.ended, 90ms);
       }},
      {"late_answer_that_was_waited_for", "{kind: response_lost, by: late, after: 50ms}", whole_201,
       true, false},
      {"late_effect", "{kind: late_effect, after: 80ms}",
       [](const Sight& s) {
         late_201(80ms)(s);
         EXPECT_GE(*s.exchange.applied - *s.exchange.request_read, 80ms);
       }},
      {"late_effect_without_its_client", "{kind: late_effect, after: 300ms}",
       [](const Sight& s) { silent(s, 1); }, false},
      {"client_killed_where_nobody_runs_it", "client_killed", whole_201, true, false},
      {"do_form", "{kind: reset, at: response_body, after: 50%}",
       [](const Sight& s) {
         EXPECT_EQ(s.end, End::Reset);
         EXPECT_GT(s.body().size(), 0U);
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Base, FaultOnTheWire, testing::ValuesIn(base_rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace mishap::server
