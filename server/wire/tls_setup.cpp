#include "server/wire/tls_setup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "server/wire/live_run.h"

namespace mishap::server {
namespace {

std::vector<std::string> names_of(const scenarios::Tls& tls,
                                  const std::vector<scenarios::NamedHost>& intercepted,
                                  const RunOptions& options,
                                  const std::vector<std::string>& addresses) {
  std::vector<std::string> names = {"127.0.0.1", "::1", "localhost"};
  std::string host = advertised_host(options.address, options.advertise);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  host = host.substr(0, host.find('%'));  // the zone of an address is this machine's own
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  add(host);
  std::ranges::for_each(addresses, add);
  std::ranges::for_each(tls.names, add);
  for (const auto& one : intercepted) add(one.host);
  return names;
}

// Nothing, or an authority that an earlier run wrote.
bool may_be_replaced(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(status)) return true;
  if (!std::filesystem::is_regular_file(status)) return false;
  std::string line;
  std::ifstream there(path);
  return !std::getline(there, line) || line == "-----BEGIN CERTIFICATE-----";
}

std::optional<Error> write_ca(const scenarios::Tls& tls, const std::string& pem) {
  if (tls.ca_out.empty()) return std::nullopt;
  auto error = write_authority(tls.ca_out, pem);
  if (error) error->span = tls.ca_out_span;
  return error;
}

}  // namespace

// By way of a file beside it: whoever reads it meanwhile finds the old one whole, or the new one.
std::optional<Error> write_authority(const std::string& path, const std::string& pem) {
  if (!may_be_replaced(path)) {
    return Error{ErrorCode::BadInput,
                 "\"" + path + "\" is there and holds no certificate: it is not written over",
                 {},
                 "name a new file for the authority"};
  }
  const std::string beside = path + ".new";
  std::ofstream out(beside, std::ios::trunc);
  out << pem;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(beside, path, failed);
  if (out && !failed) return std::nullopt;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return Error{ErrorCode::BadInput,
               "cannot write \"" + path + "\", where the authority was to go",
               {},
               "name a file in a folder that is there and may be written"};
}

std::shared_ptr<const CertificateAuthority> TlsSetup::authority(WallTime now) {
  const std::lock_guard lock(making_);
  if (!authority_) authority_ = std::make_shared<const CertificateAuthority>(now);
  return authority_;
}

tl::expected<TlsServers, Error> TlsSetup::for_run(const scenarios::Scenario& scenario,
                                                  const RunOptions& options,
                                                  const std::vector<std::string>& addresses,
                                                  WallTime now) {
  TlsServers servers;
  for (const scenarios::Api& api : scenario.apis) {
    if (!api.tls && api.intercept.empty()) continue;
    const scenarios::Tls tls = api.tls.value_or(scenarios::Tls{});
    try {
      servers[api.name] = std::make_shared<TlsServer>(
          authority(now), names_of(tls, api.intercept, options, addresses), now);
    } catch (const std::runtime_error& error) {
      return tl::unexpected(Error{ErrorCode::Environment, error.what(), api.span, {}});
    }
    if (auto error = write_ca(tls, servers[api.name]->ca())) {
      return tl::unexpected(std::move(*error));
    }
  }
  return servers;
}

}  // namespace mishap::server
