#include "server/wire/tls_client.h"

#include <array>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace mishap::server {
namespace {

void trust(SSL_CTX* context, const std::string& pem) {
  BIO* memory = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(memory, nullptr, nullptr, nullptr);
  BIO_free(memory);
  ASSERT_NE(certificate, nullptr) << pem;
  EXPECT_EQ(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate), 1);
  X509_free(certificate);
}

SSL* make_session(const TlsClient::Options& options) {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  if (options.only_tls12) SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  if (!options.ca.empty()) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    trust(context, options.ca);
  }
  SSL* session = SSL_new(context);
  SSL_CTX_free(context);
  // The strictest reading of a certificate that OpenSSL knows.
  X509_VERIFY_PARAM* wanted = SSL_get0_param(session);
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, options.host.c_str()) != 1) {
    ERR_clear_error();
    X509_VERIFY_PARAM_set1_host(wanted, options.host.c_str(), options.host.size());
    SSL_set_tlsext_host_name(session, options.host.c_str());
  }
  SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(session);
  return session;
}

std::string output_of(SSL* session) {
  BIO* out = SSL_get_wbio(session);
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (!bytes.empty()) BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

}  // namespace

void TlsClient::Free::operator()(ssl_st* session) const {
  SSL_free(session);
}

TlsClient::TlsClient(const Place& place, Options options)
    : raw_(place), session_(make_session(options)) {}

TlsClient::~TlsClient() = default;

std::string TlsClient::hello() {
  const std::unique_ptr<ssl_st, Free> session(make_session({}));
  SSL_do_handshake(session.get());
  return output_of(session.get());
}

void TlsClient::flush() {
  const std::string bytes = output_of(session_.get());
  if (!bytes.empty()) raw_.send(bytes);
}

bool TlsClient::pump() {
  raw_.receive_bytes(1);
  const std::string bytes = raw_.take();
  if (bytes.empty()) return false;
  BIO_write(SSL_get_rbio(session_.get()), bytes.data(), static_cast<int>(bytes.size()));
  return true;
}

bool TlsClient::handshake() {
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(session_.get());
    const int what = SSL_get_error(session_.get(), result);
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    flush();
    if (result == 1) return true;
    if (what == SSL_ERROR_WANT_READ && pump()) continue;
    error_ = reason == nullptr ? "the connection ended" : reason;
    return false;
  }
}

long TlsClient::verify_error() const {
  return SSL_get_verify_result(session_.get());
}

void TlsClient::send(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::min<std::size_t>(text.size(), 16 * 1024);
    SSL_write(session_.get(), text.data(), static_cast<int>(length));
    flush();
    text.remove_prefix(length);
  }
}

bool TlsClient::receive_some() {
  std::array<char, 16 * 1024> chunk;
  for (;;) {
    const int result = SSL_read(session_.get(), chunk.data(), static_cast<int>(chunk.size()));
    if (result > 0) {
      received_.append(chunk.data(), static_cast<std::size_t>(result));
      return true;
    }
    if (SSL_get_error(session_.get(), result) != SSL_ERROR_WANT_READ || !pump()) return false;
  }
}

const std::string& TlsClient::receive_until(std::string_view text) {
  while (received_.find(text) == std::string::npos && receive_some()) {
  }
  return received_;
}

const std::string& TlsClient::receive_to_end() {
  while (receive_some()) {
  }
  raw_.receive_to_end();
  return received_;
}

bool TlsClient::saw_close_notify() const {
  return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace mishap::server
