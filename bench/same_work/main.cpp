// The second yardstick of bench/run: a raw epoll server that does the same work as mishap does for
// a request. One thread; what a journal, a ledger, receipts and identity need is there, written as
// it is written where it is all that a server has to do. It shares no line with mishap: no faults,
// no coroutines, no scenario.
//
// Usage: mishap-bench-same-work PORT [RECORD [IN_MEMORY]]
//
// At SIGTERM it writes what it knows to RECORD as JSON Lines; of each kind it holds the newest
// IN_MEMORY (16384), the rest is in a file without a name until then.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/same_work/server.h"

namespace {

constexpr int kRules = 50;

// As many as mishap is measured with, none of which the load meets.
std::vector<same_work::Rule> rules() {
  std::vector<same_work::Rule> made;
  for (int i = 0; i < kRules - 2; ++i) made.push_back({"POST", fmt::format("/v1/other-{}", i)});
  made.push_back({"POST", "/v1/orders/:id/cancel"});
  made.push_back({"GET", "/v1/files/*"});
  return made;
}

std::string salt() {
  std::random_device device;
  std::string made;
  for (int i = 0; i < 4; ++i) made += fmt::format("{:08x}", device());
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fputs("usage: mishap-bench-same-work PORT [RECORD [IN_MEMORY]]\n", stderr);
    return 2;
  }
  const std::size_t in_memory = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 16 * 1024;
  same_work::Log log(in_memory);
  same_work::Server server(static_cast<std::uint16_t>(std::atoi(argv[1])), log,
                           {same_work::Rules(rules()), log, salt()});
  server.run();
  if (argc > 2 && !log.write_all(argv[2])) {
    std::fputs("mishap-bench-same-work: the record could not be written whole\n", stderr);
    return 4;
  }
  return 0;
}
