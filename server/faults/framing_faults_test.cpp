#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/chunks.h"
#include "server/faults/fault_fixture.h"

// The faults that frame an answer in another way, add to it, or send something else.
namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

TEST(Chunks, AreCodedRightly) {
  EXPECT_EQ(in_chunks("abcdefg", {.size = 3}), "3\r\nabc\r\n3\r\ndef\r\n1\r\ng\r\n0\r\n\r\n");
  EXPECT_EQ(in_chunks("", {}), "0\r\n\r\n");
  EXPECT_EQ(in_chunks("ab", {.trailers = {{"T", "1"}, {"U", "2"}}}),
            "2\r\nab\r\n0\r\nT: 1\r\nU: 2\r\n\r\n");
}

TEST(Chunks, AreSpoiledWhereAskedFor) {
  const auto coded = [](ChunkMistake mistake, std::uint64_t wrong = 1) {
    return in_chunks("abcdef", {.size = 3, .mistake = mistake, .wrong = wrong});
  };
  EXPECT_EQ(coded(ChunkMistake::BadSize), "xyz\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n");
  EXPECT_EQ(coded(ChunkMistake::HugeSize, 2), "3\r\nabc\r\n1ffffffffffffffff\r\ndef\r\n0\r\n\r\n");
  EXPECT_EQ(coded(ChunkMistake::ShortSize, 9), "3\r\nabc\r\n2\r\ndef\r\n0\r\n\r\n");
  EXPECT_EQ(coded(ChunkMistake::NoLineEnd), "3\r\nabc3\r\ndef\r\n0\r\n\r\n");
  EXPECT_EQ(coded(ChunkMistake::NoLastChunk), "3\r\nabc\r\n3\r\ndef\r\n");
}

TEST(Chunked, ReplacesTheLength) {
  EXPECT_EQ(planned(chunked_fault(), Point::ResponseHead, {{"size", "8B"}}),
            R"(answer 201 [Content-Type: application/json] [Transfer-Encoding: chunked] )"
            R"("8\r\n{"id":"b\r\n5\r\nk_1"}\r\n0\r\n\r\n" | finish)");
  EXPECT_THAT(planned(chunked_fault(), Point::ResponseHead, {{"how", "no_last_chunk"}}),
              testing::EndsWith("close_connection"));
}

TEST(Chunked, IsHarmlessOnlyWhereItIsRight) {
  const auto harmless = [](const Written& written) {
    return chunked_fault().harmless(params_of(chunked_fault(), written), Point::ResponseHead);
  };
  EXPECT_TRUE(harmless({}));
  EXPECT_FALSE(harmless({{"how", "bad_size"}}));
}

TEST(Chunked, LeavesAnAnswerWithoutABodyAloneAndSaysSo) {
  const Steps bare = {SendAnswer{204, {}, "", false}, Finish{}};
  EXPECT_EQ(planned(chunked_fault(), Point::ResponseHead, Moment::Apply, {}, bare),
            R"(answer 204 "" | finish)");
  EXPECT_EQ(proof(chunked_fault(), Point::ResponseHead, answered()),
            "the answer has no body that could be sent in chunks");
}

struct LengthRow {
  std::string how;
  std::string fields;
};

TEST(ContentLength, IsWrongInEachWay) {
  const LengthRow rows[] = {
      {"too_long", "[Content-Length: 20] "},
      {"too_short", "[Content-Length: 6] "},
      {"missing", ""},
      {"invalid", "[Content-Length: 13x] "},
      {"negative", "[Content-Length: -13] "},
      {"huge", "[Content-Length: 99999999999999999999999] "},
      {"twice", "[Content-Length: 13] [Content-Length: 20] "},
  };
  for (const LengthRow& row : rows) {
    EXPECT_EQ(planned(content_length_fault(), Point::ResponseHead, {{"how", row.how}}),
              "answer 201 [Content-Type: application/json] " + row.fields +
                  R"("{"id":"bk_1"}" | close_connection)");
  }
  EXPECT_EQ(planned(content_length_fault(), Point::ResponseHead, {{"how", "with_chunked"}}),
            "answer 201 [Content-Type: application/json] [Content-Length: 13] "
            R"([Transfer-Encoding: chunked] "d\r\n{"id":"bk_1"}\r\n0\r\n\r\n" | close_connection)");
}

TEST(ContentLength, MustHaveEndedTheConnection) {
  const auto changed_answer = changed(answered(), [](Exchange& e) { e.answer.changed = true; });
  EXPECT_EQ(proof(content_length_fault(), Point::ResponseHead, changed_answer), "no FIN was sent");
  EXPECT_EQ(proof(content_length_fault(), Point::ResponseHead,
                  changed(changed_answer, [](Exchange& e) { e.receipt.ending = Ending::Closed; })),
            "delivered");
  EXPECT_EQ(proof(content_length_fault(), Point::ResponseHead, answered()),
            "the answer went out as the well vendor gives it");
}

TEST(ManyHeaders, AreAddedToWhatIsThere) {
  EXPECT_EQ(planned(many_headers_fault(), Point::ResponseHead, {{"count", "2"}, {"size", "3B"}}),
            R"(answer 201 [Content-Type: application/json] [X-Filler-1: xxx] [X-Filler-2: xxx] )"
            R"("{"id":"bk_1"}" | finish)");
  EXPECT_EQ(complaints(many_headers_fault(), Point::ResponseHead,
                       {{"count", "1000000"}, {"size", "1KiB"}}),
            "fault \"many_headers\": these are more than 64 MiB in all");
}

TEST(Interim, ComesBeforeTheHead) {
  const std::string head = std::string("send head ") + kOrdinaryHead;
  EXPECT_EQ(planned(interim_fault(), Point::ResponseHead,
                    {{"status", "102"}, {"count", "2"}, {"gap", "10ms"}}),
            R"(send interim "HTTP/1.1 102 Processing\r\n\r\n" x 2 every 10ms | )" + head +
                R"( | send body "{"id":"bk_1"}" | finish)");
  EXPECT_EQ(planned(interim_fault(), Point::ResponseHead, {{"endless", "true"}}),
            R"(send interim "HTTP/1.1 103 Early Hints\r\n\r\n" endlessly every 200ms | stall)");
}

TEST(Interim, IsProvenByItsOwnBytes) {
  const auto with = [](std::uint64_t bytes) {
    return changed(answered(), [bytes](Exchange& e) { e.receipt.interim_bytes = bytes; });
  };
  const std::uint64_t one = std::string("HTTP/1.1 103 Early Hints\r\n\r\n").size();
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(3 * one)), "delivered");
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(3 * one - 1)),
            "fewer interim answers went out than scripted");
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(one), {{"endless", "true"}}),
            "bytes of a final answer went out");
  const auto open = changed(unanswered(Ending::ClientLeft),
                            [one](Exchange& e) { e.receipt.interim_bytes = one; });
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, open, {{"endless", "true"}}), "delivered");
}

TEST(Interim, SaysWhatMakesNoSense) {
  EXPECT_THAT(complaints(interim_fault(), Point::ResponseHead, {{"status", "101"}}),
              HasSubstr("a 101 is no interim answer"));
  EXPECT_THAT(
      complaints(interim_fault(), Point::ResponseHead, {{"endless", "true"}, {"gap", "0s"}}),
      HasSubstr("endless needs a gap"));
}

TEST(Garbage, TakesThePlaceOfWhatIsLeftOut) {
  EXPECT_EQ(planned(garbage_fault(), Point::ResponseHead),
            R"(send head "" | send head "SSH-2.0-OpenSSH_9.2" | close_connection)");
  EXPECT_EQ(planned(garbage_fault(), Point::ResponseHead,
                    {{"after", "status line"}, {"hex", "4142"}, {"then", "rst"}}),
            R"(send head "HTTP/1.1 201 Created\r\n" | send head "AB" | await_acknowledged | )"
            "reset_connection");
  EXPECT_THAT(planned(garbage_fault(), Point::ResponseBody, {{"after", "4B"}, {"then", "stall"}}),
              HasSubstr(R"(send body "{"id" | send body "SSH-2.0-OpenSSH_9.2" | stall)"));
}

TEST(Garbage, LeavesAnAnswerAloneWhereItsPlaceIsNot) {
  const std::string whole = planned(garbage_fault(), Point::ResponseBody, {{"after", "900B"}});
  EXPECT_THAT(whole, testing::EndsWith("finish"));
  EXPECT_THAT(whole, Not(HasSubstr("SSH")));
  EXPECT_EQ(proof(garbage_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
}

TEST(Garbage, WantsPairsOfHexDigits) {
  for (const char* hex : {"4", "4g", "0x41", "", "41 42"}) {
    EXPECT_THAT(complaints(garbage_fault(), Point::ResponseHead, {{"hex", hex}}),
                HasSubstr("hex wants pairs"))
        << hex;
  }
}

TEST(Surplus, StandsBehindTheWholeAnswer) {
  EXPECT_THAT(planned(surplus_fault(), Point::AfterResponse, {{"bytes", "more"}}),
              testing::EndsWith(R"(send body "{"id":"bk_1"}" | send body "more" | finish)"));
  EXPECT_THAT(planned(surplus_fault(), Point::AfterResponse),
              HasSubstr(R"(| send body "HTTP/1.1 200 OK\r\n)"));
  EXPECT_EQ(proof(surplus_fault(), Point::AfterResponse, unanswered(Ending::Closed)),
            "the answer did not go out whole");
}

TEST(HoldOpen, SaysCloseAndWaits) {
  EXPECT_EQ(planned(hold_open_fault(), Point::AfterResponse, {{"for", "2s"}}),
            R"(send head "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n)"
            R"(Content-Length: 13\r\nConnection: close\r\n\r\n" | )"
            R"(send body "{"id":"bk_1"}" | wait 2s | close_connection)");
  const auto held = [](Duration until) {
    return changed(answered(), [until](Exchange& e) {
      e.answer.changed = true;
      e.receipt.ending = Ending::Finished;
      e.receipt.ended = until;
    });
  };
  EXPECT_EQ(proof(hold_open_fault(), Point::AfterResponse, held(milliseconds(5012))), "delivered");
  EXPECT_THAT(proof(hold_open_fault(), Point::AfterResponse, held(seconds(2))),
              HasSubstr("not after 5s"));
}

TEST(Close, MayCloseItsOwnSideOnly) {
  EXPECT_EQ(planned(close_fault(), Point::AfterEffect, {{"half", "true"}}),
            "half_close_connection");
}

}  // namespace
}  // namespace mishap::server
