#include "server/outbound/tls_channel.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace mishap::server {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;

// The queue is the thread's: taken whole, so that the next call finds none of this one's.
std::string oldest_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "the connection was reset" : text;
}

int most(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

class TlsChannel final : public Channel {
 public:
  explicit TlsChannel(Session session) : session_(std::move(session)) {}

  Move handshake() override { return moved(SSL_connect(session_.get())); }
  Move read(std::span<char> into) override {
    return moved(SSL_read(session_.get(), into.data(), most(into.size())));
  }
  Move write(std::string_view bytes) override {
    return moved(SSL_write(session_.get(), bytes.data(), most(bytes.size())));
  }
  std::string why() const override { return why_; }

 private:
  Move moved(int result) {
    if (result > 0) return {Moved::Some, static_cast<std::size_t>(result)};
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
        return {Moved::NotNow, 0};
      case SSL_ERROR_ZERO_RETURN:
        return {Moved::End, 0};
      default:
        why_ = failure();
        return {Moved::Failed, 0};
    }
  }

  std::string failure() const {
    const long verified = SSL_get_verify_result(session_.get());
    std::string error = oldest_error();
    if (verified == X509_V_OK) return error;
    return std::string("its certificate is not trusted: ") +
           X509_verify_cert_error_string(verified);
  }

  Session session_;
  std::string why_;
};

class TlsChannels final : public ChannelMaker {
 public:
  TlsChannels(Context context, std::string host)
      : context_(std::move(context)), host_(std::move(host)) {}

  std::unique_ptr<Channel> over(int socket) const override {
    Session session(SSL_new(context_.get()));
    if (!session || SSL_set_fd(session.get(), socket) != 1) return nullptr;
    X509_VERIFY_PARAM* wanted = SSL_get0_param(session.get());
    // An address is not a name: it is compared with addresses, and SNI does not carry it.
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host_.c_str()) != 1) {
      ERR_clear_error();
      X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      if (X509_VERIFY_PARAM_set1_host(wanted, host_.c_str(), host_.size()) != 1) return nullptr;
      if (SSL_set_tlsext_host_name(session.get(), host_.c_str()) != 1) return nullptr;
    }
    return std::make_unique<TlsChannel>(std::move(session));
  }

 private:
  Context context_;
  std::string host_;
};

Error cannot(const std::string& what) {
  return Error{ErrorCode::BadInput, what + ": " + oldest_error(), {}, {}};
}

}  // namespace

tl::expected<std::unique_ptr<ChannelMaker>, Error> make_tls_channels(
    const scenarios::Upstream& upstream) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return tl::unexpected(cannot("cannot begin TLS"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const bool is_set = upstream.ca.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                          : SSL_CTX_load_verify_locations(
                                                context.get(), upstream.ca.c_str(), nullptr) == 1;
  if (!is_set) {
    return tl::unexpected(cannot("cannot use the certificates of " + upstream.url() + " (" +
                                 (upstream.ca.empty() ? "the system's" : upstream.ca) + ")"));
  }
  return std::make_unique<TlsChannels>(std::move(context), upstream.host);
}

}  // namespace mishap::server
