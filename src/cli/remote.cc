#include "cli/remote.h"

#include <fstream>
#include <iterator>

#include "base/text.h"

namespace viv::cli {
namespace {

Result<std::string> KeyOf(const Remote& remote) {
  if (!remote.key.empty()) return remote.key;
  std::string path = remote.data + "/key";
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string key(Trim(text));
  if (key.empty()) {
    return Fail(ErrorCode::kUnauthenticated,
                "no key was found: give --key or VIV_API_KEY, or --data if the server's data "
                "folder is not " +
                    remote.data +
                    "; read the key of a server that was started with sudo with `export "
                    "VIV_API_KEY=$(sudo cat /root/.local/share/vivarium/key)`");
  }
  return key;
}

ErrorCode CodeOfStatus(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  return status == 409 ? ErrorCode::kConflict : ErrorCode::kInvalidArgument;
}

// The message of an error body: ours is {"error": {"message"}}, E2B's {"message"}, Klavis'
// {"detail"} with a text or a list of locations and messages.
std::string ErrorMessage(const json::value& body) {
  const json::value* error = Find(body, "error");
  std::string_view message = FindString(error == nullptr ? body : *error, "message");
  if (message.empty()) message = FindString(body, "detail");
  const json::value* detail = Find(body, "detail");
  if (!message.empty() || detail == nullptr || !detail->is_array()) return std::string(message);
  std::string text;
  for (const json::value& problem : detail->get_array()) {
    if (!text.empty()) text += "; ";
    const json::value* place = Find(problem, "loc");
    if (place != nullptr && place->is_array())
      for (const json::value& step : place->get_array())
        text += (step.is_string() ? std::string(View(step.get_string())) : WriteJson(step)) + ".";
    if (text.ends_with('.')) text.back() = ':';
    text += " " + std::string(FindString(problem, "msg"));
  }
  return text;
}

Result<ServerPage> Exchange(const Remote& remote,
                            const std::string& method,
                            const std::string& path,
                            const std::string& body) {
  ASSIGN_OR_RETURN(http::ClientRequest request, RequestTo(remote, method, path, body));
  auto response = http::FetchBlocking(std::move(request));
  if (!response) {
    return Fail(ErrorCode::kUnavailable, "no server answers at " + remote.url + " (" +
                                             response.error().message +
                                             "); start one with `viv serve`, or give --url");
  }
  ServerPage page{nullptr, std::string(response->headers.Get("x-next-token"))};
  if (response->body.empty()) return page;
  ASSIGN_OR_RETURN(page.body, ParseJson(response->body), remote.url);
  if (response->status < 400) return page;
  std::string message = ErrorMessage(page.body);
  return Fail(CodeOfStatus(response->status),
              message.empty() ? std::move(response->body) : std::move(message));
}

}  // namespace

Result<http::ClientRequest> RequestTo(const Remote& remote,
                                      const std::string& method,
                                      const std::string& path,
                                      const std::string& body) {
  ASSIGN_OR_RETURN(std::string key, KeyOf(remote));
  http::ClientRequest request;
  request.method = method;
  request.url = remote.url + path;
  request.body = body;
  request.headers.Set("Authorization", "Bearer " + key);
  if (!body.empty()) request.headers.Set("Content-Type", "application/json");
  return request;
}

Result<ServerPage> CallServerForPage(const Remote& remote, const std::string& path) {
  return Exchange(remote, "GET", path, "");
}

Result<json::value> CallServer(const Remote& remote,
                               const std::string& method,
                               const std::string& path,
                               const std::string& body) {
  ASSIGN_OR_RETURN(ServerPage page, Exchange(remote, method, path, body));
  return std::move(page.body);
}

}  // namespace viv::cli
