#include "server/journal/log.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

TEST(Log, NumbersFromOneAndShowsWhatIsUnderWay) {
  Log log;
  log.add_connection();
  EXPECT_EQ(log.add_exchange().number, 1U);
  EXPECT_EQ(log.add_exchange().number, 2U);
  log.exchange(1).note = "under way";
  EXPECT_EQ(log.journal().exchanges[0].note, "under way");
  EXPECT_EQ(log.journal().lost, 0U);
}

TEST(Log, CountsWhatGoesBeyondTheCapAndKeepsItUntilItEnds) {
  Log log(1);
  log.add_exchange();
  log.add_exchange().note = "extra";
  EXPECT_EQ(log.exchange(2).note, "extra");
  EXPECT_EQ(log.journal().exchanges.size(), 1U);
  EXPECT_EQ(log.journal().lost, 1U);
  log.exchange_ended(2);
  EXPECT_EQ(log.find_exchange(2), nullptr);
  log.add_effect();
  EXPECT_EQ(log.add_effect().number, 2U);
  log.add_connection();
  EXPECT_EQ(log.add_connection().number, 2U);
  EXPECT_EQ(log.connection(2).number, 2U);
  EXPECT_EQ(log.journal().lost, 3U);
}

}  // namespace
}  // namespace mishap::server
