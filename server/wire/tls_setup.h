#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/scenario.h"
#include "mishap/server.h"
#include "server/wire/tls_server.h"

namespace mishap::server {

using TlsServers = std::map<std::string, std::shared_ptr<TlsServer>>;  // by api

// PEM, to a file for clients that mishap does not start. What is there is written over only where
// it is a certificate itself.
std::optional<Error> write_authority(const std::string& path, const std::string& pem);

// Gives each run the TLS side of its apis. All runs share one authority, made for the first that
// needs it, so that runs side by side write one and the same `ca_out`. From any thread.
class TlsSetup {
 public:
  // Of the apis that speak TLS, on their own port or to who asks the proxy for them; their `ca_out`
  // is written. `addresses`: those of listeners that have one of their own.
  tl::expected<TlsServers, Error> for_run(const scenarios::Scenario& scenario,
                                          const RunOptions& options,
                                          const std::vector<std::string>& addresses, WallTime now);

 private:
  std::shared_ptr<const CertificateAuthority> authority(WallTime now);

  std::mutex making_;
  std::shared_ptr<const CertificateAuthority> authority_;
};

}  // namespace mishap::server
