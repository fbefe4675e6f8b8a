#include "server/wire/tls_stream.h"

#include <algorithm>
#include <limits>
#include <new>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace mishap::server {
namespace {

constexpr int kAlertMask = 0xff;
constexpr std::uint64_t kCloseNotify = 0;

int most(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

}  // namespace

void TlsStream::Free::operator()(ssl_st* session) const {
  SSL_free(session);
}

TlsStream::TlsStream(ssl_st* session) : session_(session) {
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  if (in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    throw std::bad_alloc();
  }
  SSL_set_bio(session, in, out);
  SSL_set_accept_state(session);
  SSL_set_app_data(session, this);
  SSL_set_info_callback(session, &TlsStream::on_event);
}

TlsStream::~TlsStream() = default;

void TlsStream::on_event(const ssl_st* session, int where, int value) {
  if ((where & SSL_CB_READ_ALERT) != SSL_CB_READ_ALERT) return;
  auto* stream = static_cast<TlsStream*>(SSL_get_app_data(session));
  const auto alert = static_cast<std::uint64_t>(value & kAlertMask);
  // A goodbye behind a complaint does not take it back.
  if (!stream->client_alert_ || alert != kCloseNotify) stream->client_alert_ = alert;
}

void TlsStream::feed(std::string_view from_socket) {
  BIO_write(SSL_get_rbio(session_.get()), from_socket.data(), most(from_socket.size()));
}

std::string TlsStream::take_output() {
  BIO* out = SSL_get_wbio(session_.get());
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (!bytes.empty()) BIO_read(out, bytes.data(), most(bytes.size()));
  return bytes;
}

// The queue of errors is the thread's: emptied before each call, so that what it holds is ours.
TlsStream::Progress TlsStream::handshake() {
  ERR_clear_error();
  return progress_of(SSL_do_handshake(session_.get()));
}

TlsStream::Moved TlsStream::read(std::span<char> into) {
  ERR_clear_error();
  const int result = SSL_read(session_.get(), into.data(), most(into.size()));
  const Progress progress = progress_of(result);
  return {progress, progress == Progress::Done ? static_cast<std::size_t>(result) : 0};
}

bool TlsStream::write(std::string_view bytes) {
  ERR_clear_error();
  return progress_of(SSL_write(session_.get(), bytes.data(), most(bytes.size()))) == Progress::Done;
}

void TlsStream::close_notify() {
  ERR_clear_error();
  SSL_shutdown(session_.get());
  ERR_clear_error();
}

TlsStream::Progress TlsStream::progress_of(int result) {
  if (result > 0) return Progress::Done;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return Progress::NeedInput;
    case SSL_ERROR_ZERO_RETURN:
      return Progress::Closed;
    default:
      take_failure();
      return Progress::Failed;
  }
}

void TlsStream::take_failure() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  got_plain_http_ = ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST;
  failure_ = reason(code);
}

std::string TlsStream::reason(unsigned long code) const {
  if (got_plain_http_) {
    return "the client spoke plain HTTP, and TLS is spoken here: its URL begins with https://";
  }
  if (client_alert_ && *client_alert_ != kCloseNotify) {
    return "the client sent the alert " + std::to_string(*client_alert_) + " (" +
           SSL_alert_desc_string_long(static_cast<int>(*client_alert_)) + ")";
  }
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "TLS failed" : std::string("TLS failed: ") + text;
}

bool TlsStream::is_established() const {
  return SSL_is_init_finished(session_.get()) == 1;
}

std::string TlsStream::server_name() const {
  const char* name = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? std::string() : std::string(name);
}

std::string TlsStream::version() const {
  return SSL_get_version(session_.get());
}

}  // namespace mishap::server
