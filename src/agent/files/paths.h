#pragma once
// Paths as text, and the folders on the way to a file.

#include <string>
#include <string_view>

#include "agent/context.h"
#include "agent/files/file_result.h"

namespace viv::agent {

std::string BaseOf(std::string_view path);    // "c" of "/a/b/c/"; "/" of the root
std::string ParentOf(std::string_view path);  // "/a/b" of "/a/b/c/"; "/" of the root
std::string JoinPath(std::string_view folder, std::string_view name);

// The text with every byte that is no UTF-8 replaced, since file names are bytes and JSON is not.
std::string ValidUtf8(std::string_view bytes);

// What a caller means by `path` (see ResolvePath). A zero byte, at which the kernel would stop
// reading, is EINVAL.
FileResult<std::string> ResolveGivenPath(const Context& context,
                                         const User& user,
                                         std::string_view path);

// Where the last link of `path` leads, as far as links go; the file itself may not exist yet.
ErrnoOr<std::string> FollowLastLinks(std::string path);

// Creates what is missing of the folder, mode 0755. To be called as the user who shall own it.
FileResult<void> EnsureFolders(const std::string& folder);

}  // namespace viv::agent
