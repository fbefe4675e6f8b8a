#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

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

}  // namespace
}  // namespace mishap::server
