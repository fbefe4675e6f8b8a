#include "server/outbound/tls_identity.h"

#include <cctype>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace mishap::server {

struct TlsIdentity::Parts {
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  SSL_CTX* context = nullptr;
  ~Parts() {
    SSL_CTX_free(context);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

namespace {

void extend(X509* certificate, int what, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  EXPECT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* certificate_of(EVP_PKEY* key, const std::string& name) {
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("mishap test"), -1, -1, 0);
  X509_set_issuer_name(certificate, subject);
  X509_set_pubkey(certificate, key);
  const bool is_address = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  extend(certificate, NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate, NID_subject_alt_name, (is_address ? "IP:" : "DNS:") + name);
  EXPECT_NE(X509_sign(certificate, key, EVP_sha256()), 0);
  return certificate;
}

std::string pem_of(X509* certificate) {
  BIO* memory = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(memory, certificate);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  std::string pem(bytes, static_cast<std::size_t>(size));
  BIO_free(memory);
  return pem;
}

}  // namespace

TlsIdentity::TlsIdentity(const std::string& name) : parts_(std::make_unique<Parts>()) {
  parts_->key = EVP_EC_gen("P-256");
  parts_->certificate = certificate_of(parts_->key, name);
  parts_->context = SSL_CTX_new(TLS_server_method());
  EXPECT_EQ(SSL_CTX_use_certificate(parts_->context, parts_->certificate), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey(parts_->context, parts_->key), 1);
  pem_ = pem_of(parts_->certificate);
}

TlsIdentity::~TlsIdentity() = default;

ssl_ctx_st* TlsIdentity::server_context() const {
  return parts_->context;
}

}  // namespace mishap::server
