#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/plan/step.h"

struct evp_pkey_st;
struct x509_st;

namespace mishap::server {

struct FreeKey {
  void operator()(evp_pkey_st* key) const;
};
struct FreeCertificate {
  void operator()(x509_st* certificate) const;
};
using PrivateKey = std::unique_ptr<evp_pkey_st, FreeKey>;
using X509Certificate = std::unique_ptr<x509_st, FreeCertificate>;

// What a server shows, and the key that proves it.
struct ServerIdentity {
  PrivateKey key;
  X509Certificate certificate;
  std::vector<X509Certificate> issuers;  // sent behind it, nearest first
};

using WallTime = std::chrono::system_clock::time_point;

// A root of its own and an intermediate authority below it, with keys that are never stored. EC
// P-256 throughout, since an RSA key takes 0.2 s to make. Immutable once made, so that any thread
// may use it; what OpenSSL refuses (out of memory, no randomness) throws std::runtime_error.
class CertificateAuthority {
 public:
  explicit CertificateAuthority(WallTime now);
  ~CertificateAuthority();

  // The root's certificate, which clients are to trust.
  const std::string& pem() const { return pem_; }

  // For these names and addresses, good or wrong in one way.
  ServerIdentity issue(Certificate kind, const std::vector<std::string>& names, WallTime now) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
  std::string pem_;
};

}  // namespace mishap::server
