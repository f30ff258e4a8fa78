#pragma once
// What the HTTP endpoints below /files share: errors in envd's shape, the user of a request, and
// the log.

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/context.h"
#include "agent/files/file_result.h"
#include "base/json.h"
#include "http/message.h"

namespace viv::agent {

http::Response RenderFileError(int status, std::string_view message);  // {"code","message"}
http::Response RenderFileError(const FileError& file_error);

// The named user, or the default one for an empty name. EACCES when there is none of that name.
FileResult<User> UserOfFile(const Context& context, std::string_view name);

// An operation on a file, for the box's log. A status of 400 or more is logged as an error.
struct FileOperation {
  std::string_view what;  // "File read"
  std::string path;
  std::string user;
  std::uint64_t bytes = 0;
  int status = 200;
};
void LogFileOperation(Context& context, const FileOperation& operation);

// {"path","name","type"} and "metadata" where there is some.
json::object RenderUploaded(const std::string& path, const User& user);

}  // namespace viv::agent
