#include "client-tests/launch/probe_linux.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace mishap::client_tests {
namespace {

TEST(ProbeStat, ReadsPastACommandNameWithSpacesAndParentheses) {
  const auto stat = parse_stat(
      "77 (a ) b (c) R 12 77 75 0 -1 4194560 1 0 0 0 3 4 5 6 20 0 3 0 991 0 7 1844 0 0 0 0 0");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->id, (ProcessId{77, 991}));
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->session, 75);
  EXPECT_FALSE(stat->zombie);
  EXPECT_EQ(stat->threads, 3U);
  EXPECT_EQ(stat->cpu, std::chrono::milliseconds(18'000 / ::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(stat->rss, 7U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(ProbeStat, TellsAZombieFromAProcessWhoseFirstThreadEnded) {
  const auto with_threads = [](std::string_view threads) {
    return parse_stat("77 (x) Z 12 77 75 0 -1 0 1 0 0 0 3 4 5 6 20 0 " + std::string(threads) +
                      " 0 991 0 0 0 0 0 0 0 0 0");
  };
  EXPECT_TRUE(with_threads("1")->zombie);
  EXPECT_FALSE(with_threads("2")->zombie);
}

TEST(ProbeStat, RefusesWhatIsNoStatLine) {
  EXPECT_FALSE(parse_stat(""));
  EXPECT_FALSE(parse_stat("12"));
  EXPECT_FALSE(parse_stat("12 (x) R"));
}

TEST(ProbeStat, ReadsThisProcess) {
  const auto stat = read_stat(::getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, ::getppid());
  EXPECT_EQ(stat->session, ::getsid(0));
  EXPECT_LE(stat->id.start_ticks, ticks_since_boot());
  EXPECT_GT(stat->rss, 0U);
  const auto pids = list_processes();
  EXPECT_NE(std::find(pids.begin(), pids.end(), ::getpid()), pids.end());
}

struct TcpCase {
  const char* line;
  const char* local;
  Port local_port;
  const char* remote;
  Port remote_port;
  bool listening;
};

TEST(ProbeTcp, ReadsBothTables) {
  const TcpCase cases[] = {
      {"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0 0 77 1",
       "127.0.0.1", 8080, "0.0.0.0", 0, true},
      {"   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  0 0 77 1",
       "127.0.0.1", 50000, "127.0.0.1", 8080, false},
      {"   2: 0B00000A:C350 077100CB:01BB 02 00000001:00000000 01:00000000 00000000  0 0 77 1",
       "10.0.0.11", 50000, "203.0.113.7", 443, false},
      {"   3: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1F90 01 "
       "00000000:00000000 00:00000000 00000000  0 0 77 1",
       "127.0.0.1", 50000, "127.0.0.1", 8080, false},
      {"   4: 00000000000000000000000001000000:C350 B80D0120000000000000000001000000:01BB 01 "
       "00000000:00000000 00:00000000 00000000  0 0 77 1",
       "::1", 50000, "2001:db8::1", 443, false},
  };
  for (const auto& expected : cases) {
    const auto socket = parse_tcp_line(expected.line);
    ASSERT_TRUE(socket) << expected.line;
    EXPECT_EQ(socket->local, (Endpoint{expected.local, expected.local_port}));
    EXPECT_EQ(socket->remote, (Endpoint{expected.remote, expected.remote_port}));
    EXPECT_EQ(socket->listening, expected.listening);
    EXPECT_EQ(socket->inode, 77U);
  }
}

TEST(ProbeTcp, TellsTheStatesInWhichAClientWaits) {
  const auto in_state = [](const std::string& state) {
    return *parse_tcp_line("   1: 0100007F:C350 0100007F:1F90 " + state +
                           " 00000000:00000000 00:00000000 00000000  0 0 77 1");
  };
  EXPECT_FALSE(in_state("01").connecting || in_state("01").half_closed);
  EXPECT_TRUE(in_state("02").connecting);
  EXPECT_TRUE(in_state("08").half_closed);
}

TEST(ProbeTcp, PassesOverTheHeading) {
  EXPECT_FALSE(parse_tcp_line(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"));
  EXPECT_FALSE(parse_tcp_line(""));
}

}  // namespace
}  // namespace mishap::client_tests
