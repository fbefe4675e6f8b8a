#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "mishap/server.h"
#include "server/outbound/raw_upstream.h"
#include "server/wire/raw_client.h"

namespace mishap::server {

// A whole server over a real upstream on loopback.
class UpstreamTest : public testing::Test {
 protected:
  ~UpstreamTest() override;

  void start(RawUpstream::Script script, const TlsIdentity* identity = nullptr);
  // Begins a run whose api is the upstream. `more` are further keys of the scenario, `api` of the
  // api (", limits: {...}"), `map` replaces the URL by a map.
  void begin(const std::string& more = "", const std::string& api = "",
             const std::string& map = "");
  std::string url() const { return "http://" + upstream_->authority(); }

  // Sends on a connection of its own and gives the whole answer, or what came until the end.
  std::string ask(const std::string& request);
  // The same, by the length that its head promises.
  static std::string whole_answer(RawClient& client);
  static std::string post(const std::string& path, const std::string& body,
                          const std::string& more = "");
  static std::string get(const std::string& path, const std::string& more = "");

  Port port() const { return run_->addresses().at(0).port; }
  // Ends the run once all that was asked has ended.
  Journal journal();
  std::string file(const std::string& name, const std::string& text);

  SystemClock clock_;
  std::unique_ptr<RawUpstream> upstream_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::Run> run_;

 private:
  std::string folder_;
};

}  // namespace mishap::server
