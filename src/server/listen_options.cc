#include "server/listen_options.h"

#include <memory>
#include <utility>

#include "blobs/blob_routes.h"
#include "http/tls.h"
#include "server/box_dialects.h"

namespace viv::server {
namespace {

constexpr std::size_t kBodyBytesAtOnce = 16 << 10;  // of callers that are not authenticated yet

}  // namespace

Status CheckListenSettings(const Settings& settings, const Address& address) {
  if (!address.is_loopback() && settings.key.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "listening on " + address.host +
                    " lets others in, so choose the key yourself: --key KEY, VIV_API_KEY or `key:` "
                    "in vivarium.yaml");
  }
  if (settings.tls_certificate.empty() != settings.tls_key.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "TLS needs both --tls-certificate and --tls-key");
  }
  if (settings.tls_listen.empty()) return {};
  if (settings.tls_certificate.empty())
    return Fail(
        ErrorCode::kInvalidArgument,
        "--tls-listen needs a certificate: `viv cert DOMAIN` makes one and says how to use it");
  auto tls_address = ParseAddress(settings.tls_listen);
  if (!tls_address) return PassUp(std::move(tls_address).error(), "--tls-listen");
  return {};
}

http::ServerOptions ListenOptions(const Settings& settings, const Address& address) {
  http::ServerOptions options;
  options.host = address.host;
  options.port = address.port;
  options.threads = static_cast<unsigned>(settings.threads);
  options.body_bytes_max = settings.body_bytes_max;
  options.body_defer_above_bytes = kBodyBytesAtOnce;
  options.connections_max = settings.connections_max;
  options.streams_body = [domain = settings.domain](const http::Request& request) {
    return IsStreamedToBoxes(domain, request) || blobs::IsStreamedToBlobs(request);
  };
  if (settings.tls_certificate.empty()) return options;
  auto files =
      std::make_unique<http::TlsFiles>(http::TlsFiles{settings.tls_certificate, settings.tls_key});
  options.tls_library = &http::OpenSsl();
  if (settings.tls_listen.empty()) {
    options.tls = std::move(files);
    return options;
  }
  auto tls_address = ParseAddress(settings.tls_listen);
  http::ListenerOptions listener;
  listener.host = tls_address->host;
  listener.port = tls_address->port;
  listener.tls = std::move(files);
  options.extra.push_back(std::move(listener));
  return options;
}

bool IsSecure(const Settings& settings) {
  return !settings.tls_key.empty() && settings.tls_listen.empty();
}

}  // namespace viv::server
