#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/chunks.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

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

}  // namespace
}  // namespace mishap::server
