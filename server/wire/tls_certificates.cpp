#include "server/wire/tls_certificates.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace mishap::server {

void FreeKey::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}

void FreeCertificate::operator()(x509_st* certificate) const {
  X509_free(certificate);
}

namespace {

constexpr int kDay = 24 * 60 * 60;
constexpr int kSerialBits = 127;

void require(bool done, const char* what) {
  if (done) return;
  const char* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  throw std::runtime_error(std::string("cannot make a certificate: ") + what + ": " +
                           (reason == nullptr ? "no reason given" : reason));
}

// In days from now. Some clients take no server's certificate for longer than 397 days.
struct Validity {
  int begin = -1;  // the clocks of two machines differ
  int end = 390;
};
constexpr Validity kOfAuthority{-1, 3650};

struct Request {
  std::string subject;
  evp_pkey_st* key = nullptr;
  x509_st* issuer = nullptr;  // null: it vouches for itself
  evp_pkey_st* issuer_key = nullptr;
  Validity valid{};
  std::vector<std::pair<int, std::string>> extensions;
};

PrivateKey make_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  require(key != nullptr, "a key");
  return key;
}

void set_validity(x509_st* certificate, const Validity& valid, WallTime now) {
  std::time_t base = std::chrono::system_clock::to_time_t(now);
  const auto set = [&](ASN1_TIME* time, int days) {
    require(X509_time_adj_ex(time, days, 0, &base) != nullptr, "its dates");
  };
  set(X509_getm_notBefore(certificate), valid.begin);
  set(X509_getm_notAfter(certificate), valid.end);
}

// Two authorities must not share a name with a serial: some clients refuse both then.
void set_serial(x509_st* certificate) {
  BIGNUM* number = BN_new();
  const bool done = number != nullptr &&
                    BN_rand(number, kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
                    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  require(done, "its serial number");
}

void add_extension(x509_st* certificate, x509_st* issuer, int what, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  const bool done = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  require(done, value.c_str());
}

X509Certificate make_certificate(const Request& request, WallTime now) {
  X509Certificate made(X509_new());
  x509_st* certificate = made.get();
  require(certificate != nullptr, "its memory");
  X509_set_version(certificate, 2);  // v3 (RFC 5280 section 4.1.2.1)
  set_serial(certificate);
  set_validity(certificate, request.valid, now);
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* name = reinterpret_cast<const unsigned char*>(request.subject.c_str());
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1,
          "its subject");
  x509_st* issuer = request.issuer == nullptr ? certificate : request.issuer;
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  X509_set_pubkey(certificate, request.key);
  for (const auto& [what, value] : request.extensions) {
    add_extension(certificate, issuer, what, value);
  }
  require(X509_sign(certificate, request.issuer == nullptr ? request.key : request.issuer_key,
                    EVP_sha256()) > 0,
          "its signature");
  return made;
}

// Strict clients want all of these (RFC 5280 section 4.2.1); the subject's key comes first, since
// one that vouches for itself refers to it.
std::vector<std::pair<int, std::string>> extensions_of_authority(bool is_root) {
  return {{NID_subject_key_identifier, "hash"},
          {NID_authority_key_identifier, "keyid:always"},
          {NID_basic_constraints, is_root ? "critical,CA:TRUE" : "critical,CA:TRUE,pathlen:0"},
          {NID_key_usage, "critical,keyCertSign,cRLSign"}};
}

bool is_address(const std::string& name) {
  return name.find(':') != std::string::npos ||
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + std::string(is_address(name) ? "IP:" : "DNS:") + name;
  }
  return list;
}

std::vector<std::pair<int, std::string>> extensions_of_server(
    const std::vector<std::string>& names) {
  return {{NID_subject_key_identifier, "hash"},
          {NID_authority_key_identifier, "keyid:always"},
          {NID_basic_constraints, "critical,CA:FALSE"},
          {NID_key_usage, "critical,digitalSignature"},
          {NID_ext_key_usage, "serverAuth"},
          {NID_subject_alt_name, alternative_names(names)}};
}

X509Certificate shared(const X509Certificate& certificate) {
  X509_up_ref(certificate.get());
  return X509Certificate(certificate.get());
}

std::string pem_of(x509_st* certificate) {
  BIO* memory = BIO_new(BIO_s_mem());
  const bool done = memory != nullptr && PEM_write_bio_X509(memory, certificate) == 1;
  char* bytes = nullptr;
  const long size = done ? BIO_get_mem_data(memory, &bytes) : 0;
  std::string pem(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(size));
  BIO_free(memory);
  require(done, "its PEM form");
  return pem;
}

struct Authority {
  PrivateKey key;
  X509Certificate certificate;
};

Authority make_root(const std::string& name, WallTime now) {
  Authority root{make_key(), nullptr};
  root.certificate = make_certificate(
      {name, root.key.get(), nullptr, nullptr, kOfAuthority, extensions_of_authority(true)}, now);
  return root;
}

Authority make_intermediate(const Authority& root, WallTime now) {
  Authority made{make_key(), nullptr};
  made.certificate =
      make_certificate({"mishap intermediate CA", made.key.get(), root.certificate.get(),
                        root.key.get(), kOfAuthority, extensions_of_authority(false)},
                       now);
  return made;
}

Validity validity_of(Certificate kind) {
  if (kind == Certificate::Expired) return {-30, -1};
  if (kind == Certificate::NotYetValid) return {1, 30};
  return {};
}

}  // namespace

struct CertificateAuthority::Parts {
  explicit Parts(WallTime now)
      : root(make_root("mishap CA", now)), intermediate(make_intermediate(root, now)) {}
  Authority root;
  Authority intermediate;
};

CertificateAuthority::CertificateAuthority(WallTime now)
    : parts_(std::make_unique<const Parts>(now)), pem_(pem_of(parts_->root.certificate.get())) {}

CertificateAuthority::~CertificateAuthority() = default;

ServerIdentity CertificateAuthority::issue(Certificate kind, const std::vector<std::string>& names,
                                           WallTime now) const {
  ServerIdentity identity{make_key(), nullptr, {}};
  Request request{"mishap", identity.key.get(), nullptr, nullptr, validity_of(kind), {}};
  request.extensions = extensions_of_server(
      kind == Certificate::WrongName ? std::vector<std::string>{"wrong-name.invalid"} : names);
  if (kind == Certificate::SelfSigned) {
    identity.certificate = make_certificate(request, now);
    return identity;
  }
  if (kind == Certificate::UnknownCa) {
    // As a proxy with an authority of its own does it: the chain is whole, and nobody was told.
    const Authority other = make_root("mishap unknown CA", now);
    request.issuer = other.certificate.get();
    request.issuer_key = other.key.get();
    identity.certificate = make_certificate(request, now);
    identity.issuers.push_back(shared(other.certificate));
    return identity;
  }
  request.issuer = parts_->intermediate.certificate.get();
  request.issuer_key = parts_->intermediate.key.get();
  identity.certificate = make_certificate(request, now);
  if (kind != Certificate::IncompleteChain) {
    identity.issuers.push_back(shared(parts_->intermediate.certificate));
  }
  return identity;
}

}  // namespace mishap::server
