#include "server/journal/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace mishap::server {
namespace {

TEST(Log, NumbersFromOneAndShowsWhatIsUnderWay) {
  Log log;
  log.add_connection();
  EXPECT_EQ(log.add_exchange().number, 1U);
  EXPECT_EQ(log.add_exchange().number, 2U);
  log.exchange(1).note = "under way";
  EXPECT_EQ(log.recent().exchanges[0].note, "under way");
  EXPECT_EQ(log.recent().lost, 0U);
}

std::vector<std::uint64_t> numbers_in(const std::deque<Exchange>& exchanges) {
  std::vector<std::uint64_t> numbers;
  for (const Exchange& exchange : exchanges) numbers.push_back(exchange.number);
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(Log, KeepsTheNewestInMemoryAndAllOfThemOnDisk) {
  Log log({.in_memory = 2, .most = 100});
  for (std::uint64_t number = 1; number <= 5; ++number) {
    log.add_exchange().note = "n" + std::to_string(number);
    log.exchange_ended(number);
  }
  EXPECT_EQ(numbers_in(log.recent().exchanges), (Numbers{4, 5}));
  const Journal whole = Log::whole(log.cut());
  EXPECT_EQ(numbers_in(whole.exchanges), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(whole.exchanges.front().note, "n1");
  EXPECT_EQ(whole.lost, 0U);
}

TEST(Log, WhatIsUnderWayStaysInMemoryHoweverOldItIs) {
  Log log({.in_memory = 1, .most = 100});
  log.add_exchange().note = "held";
  for (std::uint64_t number = 2; number <= 4; ++number) {
    log.add_exchange();
    log.exchange_ended(number);
  }
  log.exchange(1).note += " long";
  EXPECT_EQ(Log::whole(log.cut()).exchanges.front().note, "held long");
  log.exchange(1).note += ", then over";
  log.exchange_ended(1);
  const Journal whole = Log::whole(log.cut());
  EXPECT_EQ(numbers_in(whole.exchanges), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(whole.exchanges.front().note, "held long, then over");
}

// What is found out of an exchange later, from its connection or from another exchange.
TEST(Log, WhatIsOnDiskCanStillBeChanged) {
  Log log({.in_memory = 1, .most = 1000});
  for (std::uint64_t number = 1; number <= 600; ++number) {
    log.add_exchange();
    log.exchange_ended(number);
  }
  for (std::uint64_t number = 1; number <= 500; ++number) {
    ASSERT_NE(log.find_exchange(number), nullptr);
    log.find_exchange(number)->identity.overlapping = true;
  }
  const Journal whole = Log::whole(log.cut());
  ASSERT_EQ(whole.exchanges.size(), 600U);
  for (const Exchange& exchange : whole.exchanges) {
    EXPECT_EQ(exchange.identity.overlapping, exchange.number <= 500) << exchange.number;
  }
  EXPECT_EQ(log.find_exchange(601), nullptr);
  EXPECT_EQ(log.find_exchange(0), nullptr);
}

TEST(Log, CountsWhatGoesBeyondTheMostAndKeepsItUntilItEnds) {
  Log log({.in_memory = 1, .most = 1});
  log.add_exchange();
  log.add_exchange().note = "extra";
  EXPECT_EQ(log.exchange(2).note, "extra");
  EXPECT_EQ(log.recent().exchanges.size(), 1U);
  EXPECT_EQ(log.recent().lost, 1U);
  log.exchange_ended(2);
  EXPECT_EQ(log.find_exchange(2), nullptr);
  log.add_effect();
  EXPECT_EQ(log.add_effect().number, 2U);
  log.add_connection();
  EXPECT_EQ(log.add_connection().number, 2U);
  EXPECT_EQ(log.connection(2).number, 2U);
  EXPECT_EQ(log.recent().lost, 3U);
}

// Where nothing can be written, that is counted and not kept quiet.
TEST(Log, CountsAsLostWhatTheDiskDoesNotTake) {
  ::setenv("TMPDIR", "/nowhere", 1);
  Log log({.in_memory = 1, .most = 1'000'000});
  const std::string large(10'000, 'x');
  constexpr std::uint64_t kMany = 100;  // more than is written at once
  for (std::uint64_t number = 1; number <= kMany; ++number) {
    log.add_exchange().note = large;
    log.exchange_ended(number);
  }
  const Journal whole = Log::whole(log.cut());
  ::unsetenv("TMPDIR");
  EXPECT_EQ(whole.exchanges.size(), 1U);
  EXPECT_EQ(whole.lost + whole.exchanges.size(), kMany);
}

// Whatever happens in which order, a copy is as if all of it had stayed in memory.
TEST(Log, TellsTheSameHoweverLittleStaysInMemory) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Log small({.in_memory = 3, .most = 10'000});
    Log large({.in_memory = 10'000, .most = 10'000});
    std::mt19937 random(seed);
    std::vector<std::uint64_t> under_way;
    for (int step = 0; step < 2000; ++step) {
      const auto what = random() % 4;
      if (what < 2) {
        under_way.push_back(small.add_exchange().number);
        large.add_exchange();
        small.add_effect().id = large.add_effect().id = std::to_string(step);
      } else if (what == 2 && !under_way.empty()) {
        const auto place =
            under_way.begin() + static_cast<std::ptrdiff_t>(random() % under_way.size());
        for (Log* log : {&small, &large}) log->exchange_ended(*place);
        under_way.erase(place);
      } else if (!large.recent().exchanges.empty()) {
        const std::uint64_t number = 1 + random() % large.recent().exchanges.size();
        for (Log* log : {&small, &large}) log->find_exchange(number)->note = std::to_string(step);
      }
    }
    EXPECT_EQ(to_json_lines(Log::whole(small.cut())), to_json_lines(Log::whole(large.cut())));
  }
}

}  // namespace
}  // namespace mishap::server
