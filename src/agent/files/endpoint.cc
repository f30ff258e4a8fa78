#include "agent/files/endpoint.h"

#include "agent/files/fs_user.h"
#include "agent/files/metadata.h"
#include "agent/files/paths.h"

namespace viv::agent {
namespace {

// A file that may not be opened is a 500, as envd's clients know it.
int StatusOfErrno(int code) {
  switch (code) {
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EEXIST:
      return 400;
    case ENOENT:
      return 404;
    case ENOSPC:
    case EDQUOT:
      return 507;
    default:
      return 500;
  }
}

}  // namespace

http::Response RenderFileError(int status, std::string_view message) {
  json::object body{{"code", status}, {"message", ValidUtf8(message)}};
  return http::Json(status, WriteJson(body));
}

http::Response RenderFileError(const FileError& file_error) {
  return RenderFileError(StatusOfErrno(file_error.code), file_error.message);
}

FileResult<User> UserOfFile(const Context& context, std::string_view name) {
  if (name.empty()) name = context.default_user;
  std::optional<User> user = context.users.Find(name);
  if (user) return *std::move(user);
  std::string shown(name);
  return FailFileWith(EACCES, "error looking up user '" + shown + "': user: unknown user " + shown);
}

void LogFileOperation(Context& context, const FileOperation& operation) {
  json::object fields{{"path", ValidUtf8(operation.path)},
                      {"username", ValidUtf8(operation.user)},
                      {"bytes", operation.bytes}};
  if (operation.status >= 400) fields["error_code"] = operation.status;
  bool failed = operation.status >= 400;
  context.logs.Add(failed ? LogRing::Level::kError : LogRing::Level::kInfo, operation.what,
                   std::move(fields));
}

json::object RenderUploaded(const std::string& path, const User& user) {
  json::object entry{
      {"path", ValidUtf8(path)}, {"name", ValidUtf8(BaseOf(path))}, {"type", "file"}};
  ErrnoOr<Metadata> metadata = RunAsUserWithRootCapabilities(
      user, [&]() -> ErrnoOr<Metadata> { return ReadMetadata(path); });
  if (metadata && !metadata->empty()) {
    json::object pairs;
    for (const auto& [key, value] : *metadata) pairs[ValidUtf8(key)] = ValidUtf8(value);
    entry["metadata"] = std::move(pairs);
  }
  return entry;
}

}  // namespace viv::agent
