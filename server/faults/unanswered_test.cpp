#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::string said(const ListenerSpell& spell) {
  return spell_proof(unanswered_fault(), spell);
}

TEST(Unanswered, TellsTheListenerFromTheBeginningToTheEnd) {
  EXPECT_TRUE(std::holds_alternative<LeaveUnanswered>(unanswered_fault().listen({})));
  EXPECT_EQ(unanswered_fault().listen_for, nullptr);
  EXPECT_EQ(planned(unanswered_fault(), Point::Connect), "(nothing)");
}

TEST(Unanswered, IsProvenByTheSynsThatTheKernelDropped) {
  ListenerSpell one;
  EXPECT_EQ(said(one), "the system did not let the listener do it");
  one.began = 0s;
  EXPECT_EQ(said(one), "nobody tried to connect");
  one.dropped = 1;
  EXPECT_EQ(said(one), "delivered");
}

}  // namespace
}  // namespace mishap::server
