#include "agent/dataplane/file_requests.h"

#include <optional>

#include "agent/dataplane/dataplane.h"
#include "agent/files/paths.h"

namespace viv::agent {
namespace {

int PlaneStatusOf(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS:
      return 403;
    case ENOENT:
      return 404;
    case ENOSPC:
    case EDQUOT:
      return 507;
    case EIO:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return 500;
    default:  // a folder, a file where a folder should be, a name too long, a loop of links
      return 400;
  }
}

}  // namespace

http::Response RenderFileTrouble(FileUse use, const Trouble& trouble) {
  std::string message = ValidUtf8(trouble.message);
  if (use == FileUse::kWrite) {
    // 404 would tell a client that its box is gone: the path of a write need not be there.
    int status = trouble.code == ENOENT ? 400 : PlaneStatusOf(trouble.code);
    return DataPlaneError(status, "WriteError", std::move(message));
  }
  // A path through something that is no folder leads to nothing.
  bool absent = trouble.code == ENOENT || trouble.code == ENOTDIR;
  if (absent) return DataPlaneError(404, "FileNotFound", std::move(message));
  return DataPlaneError(PlaneStatusOf(trouble.code), "ReadError", std::move(message));
}

http::Response RenderBadFileRequest(std::string_view message) {
  return DataPlaneError(400, "InvalidRequest", ValidUtf8(message));
}

Outcome<User> PlaneUser(const Context& context) {
  std::optional<User> user = context.users.Resolve(context.default_user);
  if (user) return *std::move(user);
  return Refused(EACCES, "user '" + context.default_user + "' does not exist in this box");
}

Outcome<std::string> PlanePath(const Context& context, const User& user, std::string_view path) {
  if (path.empty()) return Refused(EINVAL, "path is empty: name a file or folder");
  bool relative = path[0] != '/' && path != "~" && !path.starts_with("~/");
  if (!relative || context.default_workdir.empty()) return ResolveGivenPath(context, user, path);
  return ResolveGivenPath(context, user, JoinPath(context.default_workdir, path));
}

}  // namespace viv::agent
