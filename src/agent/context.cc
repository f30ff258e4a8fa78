#include "agent/context.h"

#include <filesystem>

#include "base/base64.h"
#include "base/text.h"

namespace viv::agent {
namespace {

// The name in a Basic header, whose password is ignored; nothing when there is no such header.
std::optional<std::string> BasicUser(const http::Request& request) {
  constexpr std::string_view kScheme = "basic ";
  std::string_view header = request.headers.Get("authorization");
  if (header.size() < kScheme.size()) return std::nullopt;
  if (!EqualsIgnoreCase(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  auto text = DecodeBase64(Trim(header.substr(kScheme.size())));
  if (!text || text->find(':') == std::string::npos) return std::nullopt;
  text->resize(text->find(':'));
  return text;
}

std::string Below(std::string_view folder, std::string_view path) {
  std::string clean =
      std::filesystem::path(std::string(folder) + "/" + std::string(path)).lexically_normal();
  while (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

// A name in an error message: whatever it is, the message stays text.
std::string Printable(std::string_view name) {
  return IsValidUtf8(name) ? std::string(name) : "?";
}

}  // namespace

connect::RpcResult<User> CallerOf(const Context& context, const http::Request& request) {
  std::optional<std::string> named = BasicUser(request);
  std::optional<User> user = context.users.Find(named ? *named : context.default_user);
  if (user) return *std::move(user);
  std::string message = named ? "invalid username: '" + Printable(*named) + "'"
                              : "invalid default user: '" + context.default_user + "'";
  return connect::FailRpc(connect::Code::kUnauthenticated, std::move(message));
}

std::string ResolvePath(const Context& context, const User& user, std::string_view path) {
  if (path.empty()) path = context.default_workdir;
  if (path.empty() || path == "~") return user.home;
  if (path.front() == '/') return std::string(path);
  if (path.starts_with("~/")) return Below(user.home, path.substr(2));
  return Below(user.home, path);
}

}  // namespace viv::agent
