#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return html_page_fault();
}

SendAnswer page_for(SendAnswer answer, const Written& members = {}) {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  const Steps steps = fault().plan({std::move(answer)}, params_of(fault(), members), context);
  return std::get<SendAnswer>(steps.front());
}

TEST(HtmlPage, ReplacesTheAnswerWholly) {
  const SendAnswer page = page_for({201, {{"Location", "/v1/x"}}, "{}", false});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers, (std::vector<NameValue>{{"Content-Type", "text/html; charset=utf-8"}}));
  EXPECT_TRUE(page.body.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(page_for({204, {}, "", false}).status, 200);
  EXPECT_EQ(page_for({201, {}, "", false}, {{"status", "503"}}).status, 503);
  EXPECT_TRUE(page_for({200, {}, "", true}).head_only);
}

TEST(HtmlPage, IsProvenByItsStatusAndAnAnswerThatIsNotTheVendors) {
  const Exchange page = changed(answered(), [](Exchange& e) {
    e.answer.status = 200;
    e.answer.healthy = false;
  });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, page), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, page, {{"status", "502"}}), "the answer was a 200");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered()), "the answer was a 201");
}

TEST(HtmlPage, NeedsAStatusThatCanCarryIt) {
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"status", "204"}}),
            "fault \"html_page\": a 204 has no body");
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"status", "502"}}), "");
}

}  // namespace
}  // namespace mishap::server
