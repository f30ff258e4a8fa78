#include "agent/dataplane/file_requests.h"

#include <optional>

#include "agent/dataplane/dataplane.h"
#include "agent/files/paths.h"

namespace viv::agent {
namespace {

int DataPlaneStatusOf(int code) {
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

http::Response RenderDataPlaneFileError(FileUse use, const FileError& file_error) {
  std::string message = ValidUtf8(file_error.message);
  if (use == FileUse::kWrite) {
    // 404 would tell a client that its box is gone: the path of a write need not be there.
    int status = file_error.code == ENOENT ? 400 : DataPlaneStatusOf(file_error.code);
    return DataPlaneError(status, "WriteError", std::move(message));
  }
  // A path through something that is no folder leads to nothing.
  bool absent = file_error.code == ENOENT || file_error.code == ENOTDIR;
  if (absent) return DataPlaneError(404, "FileNotFound", std::move(message));
  return DataPlaneError(DataPlaneStatusOf(file_error.code), "ReadError", std::move(message));
}

http::Response RenderBadFileRequest(std::string_view message) {
  return DataPlaneError(400, "InvalidRequest", ValidUtf8(message));
}

FileResult<User> DataPlaneUser(const Context& context) {
  std::optional<User> user = context.users.Resolve(context.default_user);
  if (user) return *std::move(user);
  return FailFileWith(EACCES, "user '" + context.default_user + "' does not exist in this box");
}

FileResult<std::string> DataPlanePath(const Context& context,
                                      const User& user,
                                      std::string_view path) {
  if (path.empty()) return FailFileWith(EINVAL, "path is empty: name a file or folder");
  bool relative = path[0] != '/' && path != "~" && !path.starts_with("~/");
  if (!relative || context.default_workdir.empty()) return ResolveGivenPath(context, user, path);
  return ResolveGivenPath(context, user, JoinPath(context.default_workdir, path));
}

}  // namespace viv::agent
