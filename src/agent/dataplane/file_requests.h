#pragma once
// What the data plane's file endpoints share: as whom they act, what a path means, and how trouble
// with a file is told.

#include <string>
#include <string_view>

#include "agent/context.h"
#include "agent/files/file_result.h"
#include "http/message.h"

namespace viv::agent {

enum class FileUse { kRead, kWrite };

// A file that is not there is 404 FileNotFound to who reads, everything else a ReadError or
// WriteError; never a status that clients take for a passing one and try again.
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
