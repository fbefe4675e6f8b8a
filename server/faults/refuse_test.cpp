#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

ListenerSpell spell(std::optional<Duration> ended) {
  ListenerSpell one;
  one.began = 1s;
  one.ended = ended;
  one.probe = "refused";
  return one;
}

std::string said(const ListenerSpell& spell, const Written& written = {}) {
  return spell_proof(refuse_fault(), spell, written);
}

TEST(Refuse, TellsTheListenerForHowLong) {
  EXPECT_TRUE(std::holds_alternative<RefuseConnections>(refuse_fault().listen({})));
  EXPECT_EQ(refuse_fault().listen_for(params_of(refuse_fault(), {{"for", "2s"}})), Duration(2s));
  EXPECT_EQ(refuse_fault().listen_for(params_of(refuse_fault(), {})), std::nullopt);
}

TEST(Refuse, ChangesNoSteps) {
  EXPECT_EQ(planned(refuse_fault(), Point::Connect), "(nothing)");
}

TEST(Refuse, IsProvenByAConnectOfItsOwn) {
  EXPECT_EQ(said(spell(3s)), "delivered");
  ListenerSpell one = spell(3s);
  one.probe = "connected";
  EXPECT_EQ(said(one), "a connect of our own was not refused");
  one.probe.clear();
  EXPECT_EQ(said(one), "a connect of our own was not refused");
}

TEST(Refuse, IsProvenByItsLength) {
  EXPECT_EQ(said(spell(3s), {{"for", "2s"}}), "delivered");
  EXPECT_EQ(said(spell(3s), {{"for", "2001ms"}}),
            "connections were refused for 2s, not for 2.001s");
  EXPECT_EQ(said(spell({}), {{"for", "10s"}}), "delivered") << "the run ended in it";
}

TEST(Refuse, HasNotHappenedWhereTheSystemDidNotLetIt) {
  ListenerSpell one = spell({});
  one.began.reset();
  EXPECT_EQ(said(one), "the system did not let the listener do it");
  EXPECT_EQ(proof(refuse_fault(), Point::Connect, Exchange{}), "nothing is known of the listener");
}

TEST(Refuse, WantsATime) {
  EXPECT_THAT(complaints(refuse_fault(), Point::Connect, {{"for", "0s"}}),
              HasSubstr("for 0s nobody is refused"));
}

}  // namespace
}  // namespace mishap::server
