#include "gateway/tls/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/text.h"
#include "gateway/tls/alpn.h"
#include "gateway/tls/certificate.h"
#include "gateway/tls/handshake.h"
#include "gateway/tls/origin_sessions.h"

namespace viv::gateway {
namespace {

constexpr int kChainLengthMax = 10;

std::string ExplainGuest(const HandshakeFailure& failure) {
  if (failure.kind != HandshakeFailure::Kind::kAlertReceived)
    return "TLS with the guest failed: " + failure.text;
  return "the guest broke off TLS (" + failure.text +
         "): its program may have a list of authorities of its own; let it read "
         "/etc/ssl/certs/ca-certificates.crt";
}

// Why the certificate of an origin is not accepted.
std::string ExplainCertificate(const std::string& host, long result) {
  const std::string certificate = "the certificate of " + host;
  switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return certificate + " is for another name";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return certificate + " has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return certificate + " is not valid yet";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return certificate +
             " is signed by nobody this machine trusts (give its authority with --egress-ca)";
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
      return certificate + " is signed by somebody who may not sign certificates";
    default:
      return certificate + " cannot be trusted: " + X509_verify_cert_error_string(result);
  }
}

Error ExplainOrigin(const std::string& host, const HandshakeFailure& failure) {
  using Kind = HandshakeFailure::Kind;
  if (failure.verify_result != X509_V_OK)
    return {ErrorCode::kPermissionDenied, ExplainCertificate(host, failure.verify_result)};
  if (failure.kind == Kind::kTimeout)
    return {ErrorCode::kUnavailable, host + " did not finish the TLS handshake in 10 seconds"};
  if (failure.kind == Kind::kAlertReceived)
    return {ErrorCode::kUnavailable, host + " refused the TLS handshake: " + failure.text};
  return {ErrorCode::kUnavailable, "TLS with " + host + " failed: " + failure.text};
}

// Sets the host and requires a certificate for it: a name or an address.
bool RequireCertificateFor(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* params = SSL_get0_param(ssl);
  if (!IsHostName(host)) return X509_VERIFY_PARAM_set1_ip_asc(params, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(
      params, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_host(params, host.data(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

Result<ContextPtr> MakeOriginContext(const std::vector<std::string>& cas) {
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* it = context.get();
  if (it == nullptr || SSL_CTX_set_min_proto_version(it, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_default_verify_paths(it) != 1)
    return Fail(ErrorCode::kInternal, "prepare TLS toward origins: " + LastOpenSslError());
  for (const std::string& file : cas) {
    if (SSL_CTX_load_verify_locations(it, file.c_str(), nullptr) != 1)
      return Fail(ErrorCode::kInvalidArgument, "read the certificates in " + file + ": " +
                                                   LastOpenSslError() +
                                                   "; it shall be a readable PEM file");
  }
  SSL_CTX_set_verify(it, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_verify_depth(it, kChainLengthMax);
  // An operator who lists an intermediate authority means to trust it.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(it), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_options(it, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(it, SSL_MODE_RELEASE_BUFFERS);
  EnableSessionCache(it);
  ERR_clear_error();
  return context;
}

class OpenSslOriginTls final : public OriginTls {
 public:
  explicit OpenSslOriginTls(ContextPtr context) : context_(std::move(context)) {}

  Task<Result<TlsConnection>> Connect(http::StreamSocket socket,
                                      std::string host,
                                      bool http2) override {
    SslPtr ssl(SSL_new(context_.get()));
    const unsigned char* protocols = http2 ? kHttp2AndHttp1 : kHttp1Only;
    const unsigned size = (http2 ? sizeof kHttp2AndHttp1 : sizeof kHttp1Only) - 1;
    if (ssl == nullptr || SSL_set_alpn_protos(ssl.get(), protocols, size) != 0)
      co_return Fail(ErrorCode::kUnavailable, "prepare TLS: " + LastOpenSslError());
    if (!RequireCertificateFor(ssl.get(), host)) {
      ERR_clear_error();
      co_return Fail(ErrorCode::kInvalidArgument,
                     "'" + Printable(host, 64) + "' is no name of a host");
    }
    ResumeSession(ssl.get());
    auto secured = co_await RunTlsHandshake(std::move(socket), std::move(ssl), TlsSide::kClient,
                                            std::string(), kHandshakeTime);
    if (!secured) co_return tl::unexpected<Error>(ExplainOrigin(host, secured.error()));
    co_return *std::move(secured);
  }

 private:
  const ContextPtr context_;  // OpenSSL locks it internally
};

}  // namespace

Task<Result<TlsConnection>> AcceptTls(http::StreamSocket socket,
                                      std::string already_read,
                                      std::shared_ptr<SSL_CTX> context,
                                      bool http2) {
  SslPtr ssl(SSL_new(context.get()));
  if (ssl == nullptr) co_return Fail(ErrorCode::kUnavailable, "prepare TLS: " + LastOpenSslError());
  if (http2) OfferHttp2(ssl.get());
  auto secured = co_await RunTlsHandshake(std::move(socket), std::move(ssl), TlsSide::kServer,
                                          std::move(already_read), kHandshakeTime);
  if (!secured) co_return Fail(ErrorCode::kUnavailable, ExplainGuest(secured.error()));
  co_return *std::move(secured);
}

Task<Result<std::unique_ptr<http::Transport>>> OriginTls::Secure(http::StreamSocket socket,
                                                                 std::string host) {
  ASSIGN_OR_CO_RETURN(TlsConnection secured,
                      co_await Connect(std::move(socket), std::move(host), false));
  co_return std::move(secured.transport);
}

Result<std::unique_ptr<OriginTls>> OriginTls::Open(const std::vector<std::string>& cas) {
  ASSIGN_OR_RETURN(ContextPtr context, MakeOriginContext(cas));
  return std::unique_ptr<OriginTls>(std::make_unique<OpenSslOriginTls>(std::move(context)));
}

}  // namespace viv::gateway
