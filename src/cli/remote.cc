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
                "no key: give --key or VIV_API_KEY, or --data if the server's folder is not " +
                    remote.data);
  }
  return key;
}

ErrorCode CodeOfStatus(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  return status == 409 ? ErrorCode::kConflict : ErrorCode::kInvalidArgument;
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
  // Our own errors are {"error": {"message"}}, E2B's {"message"}.
  const json::value* error = Find(page.body, "error");
  std::string_view message = FindString(error == nullptr ? page.body : *error, "message");
  return Fail(CodeOfStatus(response->status),
              std::string(message.empty() ? response->body : message));
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
