#include "git/git_service.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "http/status.h"

namespace viv::git {
namespace {

int GitStatusOf(ErrorCode code) {
  return code == ErrorCode::kLimitExceeded ? 413 : http::StatusOf(code);
}

std::optional<std::string> ServiceName(std::string_view text) {
  if (text == "git-upload-pack" || text == "git-receive-pack") return std::string(text.substr(4));
  return std::nullopt;
}

// Only what git itself would send, for it becomes a variable of git's environment.
std::string GitProtocolOf(const http::Request& request) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789=:.-";
  std::string_view value = request.headers.Get("git-protocol");
  bool plain = value.size() <= 64 && value.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::string(value) : std::string();
}

bool IsSecondVersion(std::string_view protocol) {
  for (std::string_view part : Split(protocol, ':'))
    if (part == "version=2") return true;
  return false;
}

}  // namespace

std::string GitService::Prologue() const {
  if (!advertises || (!receives() && IsSecondVersion(protocol))) return {};
  const std::string line = fmt::format("# service=git-{}\n", name);
  return fmt::format("{:04x}{}0000", line.size() + 4, line);
}

Result<GitService> GitServiceOf(const http::Request& request, std::string_view rest) {
  GitService service;
  service.protocol = GitProtocolOf(request);
  std::optional<std::string> name;
  if (request.method == "GET" && rest == "info/refs") {
    service.advertises = true;
    name = ServiceName(request.Query("service").value_or(""));
  } else if (request.method == "POST") {
    name = ServiceName(rest);
  }
  if (!name)
    return Fail(ErrorCode::kNotFound, "git's smart protocol is spoken here, and nothing else");
  service.name = *std::move(name);
  const std::string type = "application/x-git-" + service.name + "-request";
  if (!service.advertises && !EqualsIgnoreCase(Trim(request.headers.Get("content-type")), type))
    return Fail(ErrorCode::kInvalidArgument, "Content-Type: " + type + " is expected");
  return service;
}

http::Response GitResponse(const GitService& service) {
  http::Response response;
  response.headers.Add("Content-Type", "application/x-git-" + service.name +
                                           (service.advertises ? "-advertisement" : "-result"));
  response.headers.Add("Cache-Control", "no-cache, max-age=0, must-revalidate");
  response.headers.Add("Pragma", "no-cache");
  response.headers.Add("Expires", "Fri, 01 Jan 1980 00:00:00 GMT");
  return response;
}

http::Response GitFailure(const Error& error) {
  bool internal = error.code == ErrorCode::kInternal;
  return http::Text(GitStatusOf(error.code),
                    internal ? "git failed on the server; the server's log has the reason\n"
                             : error.message + "\n");
}

}  // namespace viv::git
