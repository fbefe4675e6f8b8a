#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/wire/tls_certificates.h"
#include "server/wire/tls_stream.h"

struct ssl_ctx_st;

namespace mishap::server {

// The TLS side of one api of a run: TLS 1.2 and 1.3, HTTP/1.1 by ALPN, and no session is ever
// resumed, since a client that resumes one looks at no certificate. I/O thread only, once made.
class TlsServer {
 public:
  // The good certificate is made at once (which may throw std::runtime_error), the others when they
  // are first shown.
  TlsServer(std::shared_ptr<const CertificateAuthority> authority, std::vector<std::string> names,
            WallTime now);
  ~TlsServer();

  // One connection; throws as above.
  std::unique_ptr<TlsStream> accept(Certificate kind);
  const std::string& ca() const { return authority_->pem(); }

 private:
  struct FreeContext {
    void operator()(ssl_ctx_st* context) const;
  };
  using Context = std::unique_ptr<ssl_ctx_st, FreeContext>;
  Context make_context(Certificate kind) const;
  ssl_ctx_st* context(Certificate kind);

  std::shared_ptr<const CertificateAuthority> authority_;
  std::vector<std::string> names_;
  WallTime now_;
  std::map<Certificate, Context> contexts_;
};

}  // namespace mishap::server
