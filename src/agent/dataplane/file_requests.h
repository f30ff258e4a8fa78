#pragma once
// What the data plane's file endpoints share: the user they act as, how a path is resolved, and how
// errors are rendered.

#include <string>
#include <string_view>

#include "agent/context.h"
#include "agent/files/file_result.h"
#include "http/message.h"

namespace viv::agent {

enum class FileUse { kRead, kWrite };

// A missing file is 404 FileNotFound for reads; everything else is a ReadError or WriteError, never
// with a status that clients retry.
http::Response RenderDataPlaneFileError(FileUse use, const FileError& file_error);

// 400 InvalidRequest.
http::Response RenderBadFileRequest(std::string_view message);

// The box's default user. EACCES when the box has none of that name.
FileResult<User> DataPlaneUser(const Context& context);

// The absolute path that a request means: a relative one lies below the default folder for work,
// else below the home. EINVAL for an empty one or a zero byte.
FileResult<std::string> DataPlanePath(const Context& context,
                                      const User& user,
                                      std::string_view path);

}  // namespace viv::agent
