#include "network/refusal.h"

#include <sys/socket.h>

#include "base/json.h"
#include "base/log.h"

namespace viv::network {
namespace {

constexpr auto kLingerTime = std::chrono::seconds(2);
constexpr std::size_t kLingerBytesMax = 1 << 20;
constexpr char kUnrecognizedName = 112, kDecodeError = 50;
constexpr char kHttp11Required = 13;

std::string TlsAlert(char description) {
  constexpr char kAlert = 21, kFatal = 2;
  return {kAlert, 3, 3, 0, 2, kFatal, description};
}

std::string HttpForbidden(const std::string& why) {
  json::object body;
  body["error"] = "egress_refused";
  body["message"] = "The connection was refused: " + why + ".";
  std::string text = WriteJson(body) + "\n";
  return "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\n"
         "Content-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

// An empty SETTINGS frame, and a GOAWAY with the reason.
std::string Http2GoAway(const std::string& why) {
  constexpr char kSysctls = 4, kGoAway = 7;
  std::string text = why.substr(0, 100);
  std::string frames = {0, 0, 0, kSysctls, 0, 0, 0, 0, 0};
  frames += {0, 0, static_cast<char>(text.size() + 8), kGoAway, 0, 0, 0, 0, 0};
  frames += {0, 0, 0, 0, 0, 0, 0, kHttp11Required};
  return frames + text;
}

void LogRefusal(Flow& flow, std::string why) {
  log::Debug("network.connection_refused", {{"address", flow.destination.address.Text()},
                                            {"port", flow.destination.port},
                                            {"reason", why}});
  flow.RecordRefusal(std::move(why));
}

}  // namespace

std::string RefusalBytes(const FirstBytes& first_bytes,
                         const std::string& already_read,
                         const std::string& why) {
  const bool tls = already_read.starts_with('\x16');
  switch (first_bytes.kind) {
    case FirstBytes::Kind::kTls:
      return TlsAlert(kUnrecognizedName);
    case FirstBytes::Kind::kHttp:
      return HttpForbidden(why);
    case FirstBytes::Kind::kHttp2:
      return Http2GoAway(why);
    case FirstBytes::Kind::kNeedsMore:
    case FirstBytes::Kind::kMalformed:
      return tls ? TlsAlert(kDecodeError) : HttpForbidden(why);
    case FirstBytes::Kind::kOther:
      break;
  }
  return "";
}

Task<void> RefuseFlow(std::shared_ptr<Flow> flow, std::string message, std::string why) {
  LogRefusal(*flow, std::move(why));
  CloseWithReset(flow->remote);
  if (message.empty()) co_return flow->Abort();
  Deadline deadline(flow->guest, kLingerTime);
  if (!co_await WriteFully(flow->guest, std::move(message))) co_return flow->Abort();
  shutdown(flow->guest.native_handle(), SHUT_WR);
  std::size_t discarded = 0;
  char buffer[4096];
  while (flow->guest.is_open() && discarded < kLingerBytesMax) {
    ssize_t got = recv(flow->guest.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got == 0) co_return;
    if (got > 0)
      discarded += static_cast<std::size_t>(got);
    else if (!co_await WaitReadable(flow->guest))
      break;
  }
  flow->Abort();
}

void RefuseWithReset(Flow& flow, std::string why) {
  LogRefusal(flow, std::move(why));
  flow.Abort();
}

}  // namespace viv::network
