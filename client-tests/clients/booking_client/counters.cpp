#include "client-tests/clients/booking_client/counters.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "client-tests/clients/booking_client/log.h"

namespace booking {

void write_counters(const Counters& counters, const std::filesystem::path& file) {
  const nlohmann::ordered_json json = {{"operations", counters.operations},
                                       {"attempts", counters.attempts},
                                       {"retries", counters.retries},
                                       {"exhausted", counters.exhausted},
                                       {"alerts", counters.alerts()}};
  std::ofstream out(file, std::ios::trunc);
  out << json.dump() << '\n' << std::flush;
  if (!out) log_note("the counters could not be written");
}

}  // namespace booking
