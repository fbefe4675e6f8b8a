#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "server/wire/fake_engine.h"
#include "server/wire/live_run.h"
#include "server/wire/raw_client.h"

namespace mishap::server {

// A run on a real socket with a scripted engine.
class WireTest : public testing::Test {
 protected:
  void begin(scenarios::Limits limits = {}) {
    auto run = begin_live_run({.io = io_,
                               .engine = engine_,
                               .clock = RunClock(clock_, clock_.now()),
                               .plans = {{0, "booking", limits}},
                               .patience = patience_});
    ASSERT_TRUE(run.has_value()) << run.error().message;
    run_ = std::move(*run);
  }

  Port port() const { return run_->addresses().at(0).port; }
  Duration now() const { return clock_.now() - run_->began(); }

  static std::string get(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
  }
  static std::string post(const std::string& path, const std::string& body,
                          const std::string& more = "") {
    return "POST " + path +
           " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           more + "\r\n" + body;
  }
  static Steps steps(Steps first, const Steps& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }

  const std::string kOk = "HTTP/1.1 200 Status\r\nContent-Length: 2\r\n\r\nok";
  SystemClock clock_;
  std::shared_ptr<IoThread> io_ = std::make_shared<IoThread>();
  std::shared_ptr<FakeEngine> engine_ = std::make_shared<FakeEngine>();
  Patience patience_;
  std::unique_ptr<server::Run> run_;
};

}  // namespace mishap::server
