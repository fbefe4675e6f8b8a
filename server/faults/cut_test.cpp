#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/cut.h"
#include "server/faults/fault_fixture.h"

// What close, reset and stall share: where they cut, and how it is proven.
namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Kind {
  const FaultDescriptor& fault;
  std::string end;       // the steps that end it before a byte was sent
  std::string end_sent;  // and after
  Ending ending;
  std::string missing;  // what the proof says of another ending
};

std::vector<Kind> kinds() {
  return {
      {close_fault(), "close_connection", "close_connection", Ending::Closed, "no FIN was sent"},
      {reset_fault(), "reset_connection", "await_acknowledged | reset_connection", Ending::Reset,
       "no RST was sent"},
      {stall_fault(), "stall", "stall", Ending::Stalled, "the connection was not held silently"}};
}

TEST(Cut, BeforeTheAnswerLeavesNothingButTheEnding) {
  for (const Kind& kind : kinds()) {
    for (const Point point :
         {Point::Accept, Point::RequestHead, Point::BeforeEffect, Point::AfterEffect}) {
      EXPECT_EQ(planned(kind.fault, point), kind.end)
          << kind.fault.name << " at " << scenarios::to_string(point);
    }
  }
}

TEST(Cut, AtTheRequestHeadDoesNotInviteTheBody) {
  const Steps asked = {Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}}, ReadBody{}};
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(planned(kind.fault, Point::RequestHead, Moment::Head, {}, asked), kind.end);
  }
}

TEST(Cut, KeepsTheWaitsOfRulesBeforeIt) {
  EXPECT_EQ(
      planned(reset_fault(), Point::BeforeEffect, Moment::Request, {}, {Wait{seconds(1)}, Apply{}}),
      "wait 1s | reset_connection");
}

TEST(Cut, InTheRequestsBodyAfterSoMuchOfIt) {
  for (const Kind& kind : kinds()) {
    // Nothing was sent that a RST could take along.
    EXPECT_EQ(planned(kind.fault, Point::RequestBody, {{"after", "5B"}}),
              "read_body 5B | " + kind.end);
    EXPECT_EQ(planned(kind.fault, Point::RequestBody), "read_body 1B | " + kind.end);
    EXPECT_EQ(planned(kind.fault, Point::RequestBody, Moment::Head, {}, {Drain{}}), "drain");
  }
}

TEST(Cut, InTheRequestsBodyStillInvitesIt) {
  const Steps asked = {Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}}, ReadBody{}};
  EXPECT_EQ(planned(reset_fault(), Point::RequestBody, Moment::Head, {}, asked),
            R"(send interim "HTTP/1.1 100 Continue\r\n\r\n" | read_body 1B | reset_connection)");
}

TEST(Cut, InTheBodyAfterSoMuchOfIt) {
  const std::string head = std::string("send head ") + kOrdinaryHead;
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(planned(kind.fault, Point::ResponseBody, {{"after", "5B"}}),
              head + R"( | send body "{"id"" | )" + kind.end_sent);
    EXPECT_EQ(planned(kind.fault, Point::ResponseBody),
              head + R"( | send body "{"id":" | )" + kind.end_sent);
    EXPECT_EQ(planned(kind.fault, Point::ResponseBody, {{"after", "0B"}}),
              head + R"( | send body "" | )" + kind.end_sent);
  }
}

TEST(Cut, InTheHeadAfterSoMuchOfIt) {
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(planned(kind.fault, Point::ResponseHead, {{"after", "12B"}}),
              R"(send head "HTTP/1.1 201" | )" + kind.end_sent);
    EXPECT_EQ(planned(kind.fault, Point::ResponseHead, {{"after", "100%"}}),
              std::string("send head ") + kOrdinaryHead + " | " + kind.end_sent);
  }
}

TEST(Cut, LeavesAnAnswerAloneThatHasNothingToCut) {
  const Steps bare = {SendAnswer{204, {}, "", false}, Finish{}};
  const std::string whole = R"(send head "HTTP/1.1 204 No Content\r\n\r\n" | finish)";
  EXPECT_EQ(planned(reset_fault(), Point::ResponseBody, Moment::Apply, {}, bare), whole);
  EXPECT_EQ(planned(reset_fault(), Point::ResponseHead, Moment::Apply, {{"after", "900B"}}, bare),
            whole);
  EXPECT_EQ(planned(close_fault(), Point::ResponseBody, {{"after", "900B"}}),
            std::string("send head ") + kOrdinaryHead + R"( | send body "{"id":"bk_1"}" | finish)");
}

TEST(Cut, LeavesABodyAloneThatEndsExactlyThere) {
  EXPECT_EQ(planned(close_fault(), Point::ResponseBody, {{"after", "13B"}}),
            std::string("send head ") + kOrdinaryHead + R"( | send body "{"id":"bk_1"}" | finish)");
}

TEST(Cut, AfterTheAnswerEndsTheConnectionInsteadOfKeepingIt) {
  const std::string whole =
      std::string("send head ") + kOrdinaryHead + R"( | send body "{"id":"bk_1"}" | )";
  EXPECT_EQ(planned(close_fault(), Point::AfterResponse), whole + "close_connection");
  EXPECT_EQ(planned(reset_fault(), Point::AfterResponse),
            whole + "await_acknowledged | reset_connection");
}

TEST(Cut, IsProvenByItsEndingAndByWhatWasNotSent) {
  for (const Kind& kind : kinds()) {
    const Exchange done = unanswered(kind.ending);
    const Exchange without_effect = changed(done, [](Exchange& e) { e.applied.reset(); });
    EXPECT_EQ(proof(kind.fault, Point::AfterEffect, done), "delivered");
    EXPECT_EQ(proof(kind.fault, Point::BeforeEffect, without_effect), "delivered");
    EXPECT_EQ(proof(kind.fault, Point::RequestHead, without_effect), "delivered");
    EXPECT_EQ(proof(kind.fault, Point::AfterEffect, without_effect), "the effect never came");
    EXPECT_EQ(proof(kind.fault, Point::BeforeEffect, done), "it took effect");
    EXPECT_EQ(proof(kind.fault, Point::AfterEffect, unanswered(Ending::KeptAlive)), kind.missing);
    const Exchange leaked = changed(done, [](Exchange& e) { e.receipt.bytes_written = 1; });
    EXPECT_EQ(proof(kind.fault, Point::AfterEffect, leaked), "bytes of an answer went out");
  }
}

TEST(Cut, InTheRequestsBodyIsProvenByWhatWasRead) {
  const auto read = [](std::uint64_t bytes, Ending ending) {
    return changed(unanswered(ending), [bytes](Exchange& e) {
      e.applied.reset();
      e.request_read.reset();
      e.request.body_bytes = bytes;
    });
  };
  const Written five = {{"after", "5B"}};
  for (const Kind& kind : kinds()) {
    const auto said = [&](const Exchange& exchange) {
      return proof(kind.fault, Point::RequestBody, exchange, five);
    };
    EXPECT_EQ(said(read(5, kind.ending)), "delivered");
    EXPECT_EQ(said(read(4, kind.ending)), "4 bytes of the body were read, not 5");
    EXPECT_EQ(said(read(6, kind.ending)), "6 bytes of the body were read, not 5");
    EXPECT_EQ(said(read(5, Ending::KeptAlive)), kind.missing);
    EXPECT_EQ(said(answered()), "the body is no longer than \"after\"");
  }
  EXPECT_EQ(proof(reset_fault(), Point::RequestBody, read(1, Ending::Reset)), "delivered");
}

TEST(Cut, AClientThatLeftFirstHasMetAStallButNoReset) {
  const Exchange left = changed(unanswered(Ending::ClientLeft),
                                [](Exchange& e) { e.receipt.departed = milliseconds(12); });
  EXPECT_EQ(proof(stall_fault(), Point::AfterEffect, left), "delivered");
  EXPECT_EQ(proof(reset_fault(), Point::AfterEffect, left), "the client left first");
  EXPECT_EQ(proof(close_fault(), Point::AfterEffect, left), "the client left first");
  EXPECT_EQ(proof(stall_fault(), Point::AfterEffect, unanswered(Ending::Open)), "delivered");
}

TEST(Cut, InsideTheAnswerIsProvenByBytes) {
  for (const Kind& kind : kinds()) {
    const auto sent = [&](Delivery delivery, std::uint64_t planned_bytes, std::uint64_t written) {
      return changed(answered(), [&](Exchange& e) {
        e.receipt.delivery = delivery;
        e.receipt.ending = kind.ending;
        e.receipt.bytes_planned = planned_bytes;
        e.receipt.bytes_written = written;
      });
    };
    EXPECT_EQ(proof(kind.fault, Point::ResponseBody, sent(Delivery::PartOfBody, 105, 105)),
              "delivered");
    EXPECT_EQ(proof(kind.fault, Point::ResponseHead, sent(Delivery::PartOfHead, 40, 40)),
              "delivered");
    EXPECT_EQ(proof(kind.fault, Point::ResponseHead, sent(Delivery::Nothing, 0, 0)), "delivered");
    EXPECT_EQ(proof(kind.fault, Point::ResponseBody, sent(Delivery::PartOfBody, 105, 104)),
              "fewer bytes went out than scripted");
    EXPECT_EQ(proof(kind.fault, Point::ResponseBody, sent(Delivery::Complete, 113, 113)),
              "the answer went out whole: nothing of its body lies behind \"after\"");
    EXPECT_EQ(proof(kind.fault, Point::ResponseBody, sent(Delivery::Nothing, 0, 0)),
              "not a byte of the answer went out");
  }
}

TEST(Cut, AfterTheAnswerNeedsTheWholeAnswer) {
  const Exchange fin =
      changed(answered(), [](Exchange& e) { e.receipt.ending = Ending::Finished; });
  EXPECT_EQ(proof(close_fault(), Point::AfterResponse, fin), "delivered");
  EXPECT_EQ(proof(close_fault(), Point::AfterResponse, answered()), "no FIN was sent");
  EXPECT_EQ(proof(close_fault(), Point::AfterResponse, unanswered(Ending::Closed)),
            "the answer did not go out whole");
}

TEST(Cut, AtAcceptIsProvenByTheConnection) {
  Connection connection;
  connection.server_ended = milliseconds(1);
  EXPECT_EQ(proof(close_fault(), Point::Accept, {}, {}, &connection), "delivered");
  EXPECT_EQ(proof(reset_fault(), Point::Accept, {}, {}, &connection), "delivered");
  connection.departed = milliseconds(5);
  EXPECT_EQ(proof(reset_fault(), Point::Accept, {}, {}, &connection), "delivered");
  EXPECT_EQ(proof(stall_fault(), Point::Accept, {}, {}, &connection),
            "the server ended the connection first");
  connection.server_ended = milliseconds(6);
  EXPECT_EQ(proof(stall_fault(), Point::Accept, {}, {}, &connection), "delivered");
  EXPECT_EQ(proof(reset_fault(), Point::Accept, {}, {}, &connection), "the client left first");
  connection.exchanges = 1;
  EXPECT_EQ(proof(stall_fault(), Point::Accept, {}, {}, &connection), "a request was read");
  EXPECT_EQ(proof(stall_fault(), Point::Accept, {}), "nothing is known of the connection");
}

TEST(Cut, TakesAPlaceOnlyInsideTheAnswer) {
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(complaints(kind.fault, Point::AfterEffect, {{"after", "5B"}}),
              "\"after\" says something only at handshake, request_body, response_head and "
              "response_body, not at after_effect");
    EXPECT_EQ(complaints(kind.fault, Point::RequestBody, {{"after", "5B"}}), "");
    for (const std::string place : {"50%", "header 2", "chunk 1"}) {
      EXPECT_EQ(complaints(kind.fault, Point::RequestBody, {{"after", place}}),
                "at request_body \"after\" is a number of bytes: its length is not known before");
    }
    EXPECT_EQ(complaints(kind.fault, Point::ResponseBody, {{"after", "5B"}}), "");
    EXPECT_EQ(complaints(kind.fault, Point::ResponseHead, {{"after", "100%"}}), "");
    EXPECT_EQ(complaints(kind.fault, Point::ResponseBody, {{"after", "100%"}}),
              "after: 100% of the body leaves nothing to cut");
    EXPECT_NE(complaints(kind.fault, Point::ResponseBody, {{"after", "5"}}), "");
    EXPECT_NE(complaints(kind.fault, Point::ResponseBody, {{"after", "150%"}}), "");
  }
}

TEST(Cut, HasItsDefaultPointInFront) {
  EXPECT_EQ(stall_fault().points.front(), Point::AfterEffect);
  EXPECT_EQ(close_fault().points.front(), Point::BeforeEffect);
  EXPECT_EQ(reset_fault().points.front(), Point::BeforeEffect);
  EXPECT_EQ(stall_fault().points.size(), 8u);
  EXPECT_EQ(reset_fault().points.size(), 9u);
}

}  // namespace
}  // namespace mishap::server
