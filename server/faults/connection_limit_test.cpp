#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::string said(const ListenerSpell& spell, const Written& written = {}) {
  return spell_proof(connection_limit_fault(), spell, written);
}

const Written kTwo = {{"most", "2"}};

TEST(ConnectionLimit, TellsTheListenerHowMany) {
  const auto most = [](const Written& written) {
    const FaultDescriptor& fault = connection_limit_fault();
    return std::get<LimitConnections>(fault.listen(params_of(fault, written))).most;
  };
  EXPECT_EQ(most({}), 1U);
  EXPECT_EQ(most(kTwo), 2U);
  EXPECT_EQ(planned(connection_limit_fault(), Point::Connect), "(nothing)");
}

TEST(ConnectionLimit, IsProvenByWhoHadToWait) {
  ListenerSpell one;
  EXPECT_EQ(said(one, kTwo), "the system did not let the listener do it");
  one.began = 0s;
  one.most_open = 2;
  EXPECT_EQ(said(one, kTwo), "nobody had to wait: 2 of 2 connections were open at once");
  one.most_waiting = 1;
  EXPECT_EQ(said(one, kTwo), "delivered");
}

TEST(ConnectionLimit, HasNotHeldWhereMoreWereOpen) {
  ListenerSpell one;
  one.began = 0s;
  one.most_open = 3;
  one.most_waiting = 1;
  EXPECT_EQ(said(one, kTwo), "3 connections were open at once");
}

}  // namespace
}  // namespace mishap::server
