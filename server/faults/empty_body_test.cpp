#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return empty_body_fault();
}

TEST(EmptyBody, KeepsStatusAndFieldsAndSaysNothing) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody),
            R"(answer 201 [Content-Type: application/json] "" | finish)");
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  EXPECT_EQ(
      print(encode(fault().plan(ordinary(Moment::Apply), params_of(fault(), {}), context))),
      R"(send head "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n" | finish)");
}

TEST(EmptyBody, IsNotDeliveredWhereThereWasNoneAnyway) {
  const Exchange spoiled = changed(answered(), [](Exchange& e) { e.answer.healthy = false; });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, spoiled), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
}

TEST(EmptyBody, TakesNoParameters) {
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"after", "1B"}}),
            "fault \"empty_body\" takes no parameters, so no \"after\"");
}

}  // namespace
}  // namespace mishap::server
