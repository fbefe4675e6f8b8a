#include "server/wire/tls_server.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace mishap::server {
namespace {

// RFC 7301 section 3.2: of what the client offers, or none of it.
int select_protocol(SSL*, const unsigned char** out, unsigned char* out_length,
                    const unsigned char* offered, unsigned int offered_length, void*) {
  static constexpr std::string_view kOurs = "\x08http/1.1";
  unsigned char* selected = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kOurs.data());
  if (SSL_select_next_proto(&selected, out_length, ours, kOurs.size(), offered, offered_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

void require(bool done, const char* what) {
  if (done) return;
  ERR_clear_error();
  throw std::runtime_error(std::string("cannot serve TLS: ") + what);
}

void show(ssl_ctx_st* context, const ServerIdentity& identity) {
  require(SSL_CTX_use_certificate(context, identity.certificate.get()) == 1, "its certificate");
  require(SSL_CTX_use_PrivateKey(context, identity.key.get()) == 1, "its key");
  for (const X509Certificate& issuer : identity.issuers) {
    require(SSL_CTX_add1_chain_cert(context, issuer.get()) == 1, "its chain");
  }
}

}  // namespace

void TlsServer::FreeContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

TlsServer::TlsServer(std::shared_ptr<const CertificateAuthority> authority,
                     std::vector<std::string> names, WallTime now)
    : authority_(std::move(authority)), names_(std::move(names)), now_(now) {
  contexts_.emplace(Certificate::Good, make_context(Certificate::Good));
}

TlsServer::~TlsServer() = default;

TlsServer::Context TlsServer::make_context(Certificate kind) const {
  Context context(SSL_CTX_new(TLS_server_method()));
  require(context != nullptr, "out of memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  // The chain goes out as it was put together, and nothing is looked for to complete it.
  SSL_CTX_set_mode(context.get(), SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_alpn_select_cb(context.get(), select_protocol, nullptr);
  show(context.get(), authority_->issue(kind, names_, now_));
  return context;
}

ssl_ctx_st* TlsServer::context(Certificate kind) {
  const auto found = contexts_.find(kind);
  if (found != contexts_.end()) return found->second.get();
  return contexts_.emplace(kind, make_context(kind)).first->second.get();
}

std::unique_ptr<TlsStream> TlsServer::accept(Certificate kind) {
  ssl_st* session = SSL_new(context(kind));
  require(session != nullptr, "out of memory");
  return std::make_unique<TlsStream>(session);
}

}  // namespace mishap::server
