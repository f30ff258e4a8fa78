#include "network/refusal.h"

#include <sys/socket.h>

#include "base/json.h"
#include "base/log.h"

namespace viv::network {
namespace {

constexpr auto kFarewellTime = std::chrono::seconds(2);
constexpr std::size_t kFarewellBytesMax = 1 << 20;
constexpr char kUnrecognizedName = 112, kDecodeError = 50;
constexpr char kHttp11Required = 13;

std::string TlsAlert(char description) {
  constexpr char kAlert = 21, kFatal = 2;
  return {kAlert, 3, 3, 0, 2, kFatal, description};
}

std::string HttpAnswer(const std::string& why) {
  json::object body;
  body["error"] = "egress_refused";
  body["message"] = "The connection was refused: " + why + ".";
  std::string text = WriteJson(body) + "\n";
  return "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\n"
         "Content-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

// An empty SETTINGS, and a GOAWAY that says why.
std::string Http2GoAway(const std::string& why) {
  constexpr char kSettings = 4, kGoAway = 7;
  std::string text = why.substr(0, 100);
  std::string frames = {0, 0, 0, kSettings, 0, 0, 0, 0, 0};
  frames += {0, 0, static_cast<char>(text.size() + 8), kGoAway, 0, 0, 0, 0, 0};
  frames += {0, 0, 0, 0, 0, 0, 0, kHttp11Required};
  return frames + text;
}

void NoteAndTell(Flow& flow, std::string why) {
  log::Debug("network.connection_refused", {{"address", flow.destination.address.Text()},
                                            {"port", flow.destination.port},
                                            {"reason", why}});
  flow.NoteRefusal(std::move(why));
}

}  // namespace

std::string RefusalBytes(const Opening& opening, const std::string& taken, const std::string& why) {
  const bool tls = taken.starts_with('\x16');
  switch (opening.kind) {
    case Opening::Kind::kTls:
      return TlsAlert(kUnrecognizedName);
    case Opening::Kind::kHttp:
      return HttpAnswer(why);
    case Opening::Kind::kHttp2:
      return Http2GoAway(why);
    case Opening::Kind::kNeedsMore:
    case Opening::Kind::kBroken:
      return tls ? TlsAlert(kDecodeError) : HttpAnswer(why);
    case Opening::Kind::kOther:
      break;
  }
  return "";
}

Task<void> RefuseFlow(std::shared_ptr<Flow> flow, std::string words, std::string why) {
  NoteAndTell(*flow, std::move(why));
  CloseWithReset(flow->remote);
  if (words.empty()) co_return flow->Cut();
  Deadline deadline(flow->guest, kFarewellTime);
  if (!co_await WriteFully(flow->guest, std::move(words))) co_return flow->Cut();
  shutdown(flow->guest.native_handle(), SHUT_WR);
  std::size_t unheard = 0;
  char buffer[4096];
  while (flow->guest.is_open() && unheard < kFarewellBytesMax) {
    ssize_t got = recv(flow->guest.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got == 0) co_return;
    if (got > 0)
      unheard += static_cast<std::size_t>(got);
    else if (!co_await WaitReadable(flow->guest))
      break;
  }
  flow->Cut();
}

void RefuseAtOnce(Flow& flow, std::string why) {
  NoteAndTell(flow, std::move(why));
  flow.Cut();
}

}  // namespace viv::network
