#include "cli/box_access.h"

#include "base/base64.h"
#include "base/text.h"

namespace viv::cli {
namespace {

constexpr std::int64_t kWokenSeconds = 3600;

}  // namespace

Result<BoxAccess> OpenBox(const Remote& remote, const std::string& id) {
  const std::string path = "/sandboxes/" + PercentEncode(id);
  ASSIGN_OR_RETURN(json::value about, CallServer(remote, "GET", path));
  if (FindString(about, "state") != "running") {
    json::object body;
    body["timeout"] = kWokenSeconds;
    ASSIGN_OR_RETURN(about, CallServer(remote, "POST", path + "/connect", WriteJson(body)));
  }
  return BoxAccess{remote.url, std::string(FindString(about, "sandboxID")),
                   std::string(FindString(about, "envdAccessToken"))};
}

http::ClientRequest AgentRequest(const BoxAccess& box,
                                 const std::string& method,
                                 const std::string& path,
                                 const std::string& user) {
  http::ClientRequest request;
  request.method = method;
  request.url = box.url + path;
  request.headers.Set("E2b-Sandbox-Id", box.id);
  request.headers.Set("E2b-Sandbox-Port", "49983");
  request.headers.Set("X-Access-Token", box.token);
  if (!user.empty()) request.headers.Set("Authorization", "Basic " + EncodeBase64(user + ":"));
  return request;
}

Error AgentError(int status, std::string_view body) {
  auto parsed = ParseJson(body);
  std::string message(parsed ? FindString(*parsed, "message") : std::string_view());
  if (message.empty()) message = "the box answered " + std::to_string(status);
  return {status == 404 ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument, std::move(message)};
}

Result<json::value> CallAgent(const BoxAccess& box,
                              std::string_view method,
                              const json::object& message,
                              const std::string& user) {
  http::ClientRequest request = AgentRequest(box, "POST", "/" + std::string(method), user);
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("Connect-Protocol-Version", "1");
  request.body = WriteJson(message);
  ASSIGN_OR_RETURN(http::ClientResponse response, http::FetchBlocking(std::move(request)));
  if (response.status >= 400)
    return tl::unexpected<Error>(AgentError(response.status, response.body));
  return ParseJson(response.body);
}

}  // namespace viv::cli
