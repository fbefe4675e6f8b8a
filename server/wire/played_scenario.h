#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "mishap/scenario.h"
#include "mishap/server.h"
#include "server/wire/raw_client.h"

namespace mishap::server {

// A scenario that is played through the real engine on real sockets: how the fixtures of this
// folder begin and end a run.
class PlayedScenario {
 protected:
  // `rest` is the text behind the scenario's name. What is wrong with it fails the test.
  void begin_scenario(const std::string& rest, int lanes = 1, bool own_addresses = true,
                      int threads = 1) {
    auto loaded =
        scenarios::load_scenario_text("t.yaml", "mishap: 1\nscenario: t\n" + rest, ".", {});
    ASSERT_TRUE(loaded.scenario) << render(loaded.diagnostics.at(0));
    const auto wrong = check_scenario(*loaded.scenario);
    ASSERT_FALSE(has_errors(wrong)) << render(wrong.at(0));
    auto server = start_server(clock_);
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    auto run = server_->begin(*loaded.scenario, {.seed = 3,
                                                 .lanes = lanes,
                                                 .token = "t",
                                                 .threads = threads,
                                                 .own_addresses = own_addresses});
    ASSERT_TRUE(run) << run.error().message;
    run_ = std::move(*run);
  }

  Place port() const {
    const LaneAddress& address = run_->addresses().at(0);
    const std::size_t host = address.url.find("//") + 2;
    return {address.port, address.url.substr(host, address.url.rfind(':') - host)};
  }

  // Once some connection came and all have ended.
  Journal ended_journal() {
    const auto all_ended = [](const Journal& seen) {
      return !seen.connections.empty() &&
             std::ranges::all_of(seen.connections,
                                 [](const Connection& one) { return one.closed.has_value(); });
    };
    EXPECT_TRUE(run_->wait(all_ended, std::chrono::seconds(10)));
    return run_->end();
  }

  SystemClock clock_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::Run> run_;
};

}  // namespace mishap::server
