#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace mishap::server {

// For tests: a key and a certificate that vouches for itself, for one name or address.
class TlsIdentity {
 public:
  explicit TlsIdentity(const std::string& name);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  ssl_ctx_st* server_context() const;
  const std::string& pem() const { return pem_; }  // the certificate, to be trusted

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string pem_;
};

}  // namespace mishap::server
