#include "dialects/langsmith/agent_call.h"

#include "base/text.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/service_headers.h"

namespace viv::langsmith {
namespace {

using boxes::BoxState;
using boxes::WakeOnTraffic;

http::Response StillStarting(const std::string& ref) {
  http::Response response = Failure(503, "ServiceUnavailable",
                                    "sandbox '" + ref + "' is starting: try again in a second");
  response.headers.Add("Retry-After", "1");
  return response;
}

http::Response BoxNotReady(const std::string& ref, std::string_view state) {
  return Failure(400, "NotReady",
                 "sandbox '" + ref + "' is " + std::string(state) +
                     " and no request wakes it: start it first");
}

http::Response DialFailed(const Error& error, const std::string& ref) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return Failure(404, "ResourceNotFound", "sandbox '" + ref + "' does not exist");
    case ErrorCode::kUnavailable:
      return Failure(502, "ConnectionError", "sandbox '" + ref + "' does not answer");
    default:
      return Failure(400, "NotReady", "sandbox '" + ref + "' is not ready: " + error.message);
  }
}

std::string NameOfBox(const boxes::Box& box) {
  return box.spec.name.empty() ? box.id : box.spec.name;
}

void SetTarget(http::Request& request, std::string target) {
  std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  request.query = mark == std::string::npos ? std::string() : target.substr(mark + 1);
  request.target = std::move(target);
}

}  // namespace

bool IsUpgradeRequest(const http::Request& request) {
  return request.headers.Has("upgrade");
}

std::optional<http::Response> RefuseIfNotReady(const boxes::Box& box,
                                               const http::Request& request) {
  const std::string ref = NameOfBox(box);
  switch (box.state) {
    case BoxState::kRunning:
      return std::nullopt;
    case BoxState::kStarting:
      // The client limits the time of a handshake and retries by itself.
      if (IsUpgradeRequest(request)) return StillStarting(ref);
      return std::nullopt;
    case BoxState::kPaused:
      if (box.spec.wake != WakeOnTraffic::kNever) return std::nullopt;
      return BoxNotReady(ref, "paused");
    case BoxState::kStopped:
      if (box.spec.wake == WakeOnTraffic::kAlways) return std::nullopt;
      return BoxNotReady(ref, "stopped");
    case BoxState::kFailed:
      break;
  }
  std::string why = box.message.empty() ? "it did not start" : box.message;
  return Failure(400, "NotReady", "sandbox '" + ref + "' failed: " + why);
}

Task<http::Response> CallAgent(Context& context,
                               http::Request& request,
                               boxes::BoxPtr box,
                               std::string target) {
  if (auto refused = RefuseIfNotReady(*box, request)) co_return std::move(*refused);
  const std::string ref = NameOfBox(*box);
  auto connection = co_await context.boxes.DialAgent(box->id);
  if (!connection) co_return DialFailed(connection.error(), ref);
  SetTarget(request, std::move(target));
  request.headers.Set("X-Access-Token", context.boxes.AgentToken(box->id));
  http::RelayOptions options;
  options.dropped = {"X-Api-Key",     "Authorization", "Cookie",
                     "X-Service-Key", "X-Tenant-Id",   std::string(kServiceTokenHeader)};
  auto answer = co_await context.relay(request, std::move(*connection), std::move(options));
  if (!answer) {
    if (answer.error().code == ErrorCode::kInvalidArgument)
      co_return Failure(400, "InvalidRequest", answer.error().message);
    co_return Failure(502, "ConnectionError", "sandbox '" + ref + "' gave no answer");
  }
  DropOriginWideHeaders(*answer);
  co_return std::move(*answer);
}

}  // namespace viv::langsmith
