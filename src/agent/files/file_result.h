#pragma once
// The results of file operations: a value, or an errno with the message that a caller gets. The
// messages are those that envd's clients know ("mkdir /x: permission denied").

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "agent/errno_text.h"

namespace viv::agent {

template <typename T>
using ErrnoOr = tl::expected<T, int>;  // errno

struct FileError {
  int code = 0;  // errno
  std::string message;
};
template <typename T>
using FileResult = tl::expected<T, FileError>;

inline tl::unexpected<int> FailWithErrno(int code = errno) {
  return tl::unexpected<int>(code);
}

// "<doing>: <what errno says>", e.g. doing "open /x".
tl::unexpected<FileError> FailFile(int code, std::string_view doing);
// With that message alone; `code` classifies the error.
tl::unexpected<FileError> FailFileWith(int code, std::string message);
// Puts "<doing>: " before the message.
tl::unexpected<FileError> AddContext(FileError file_error, std::string_view doing);

}  // namespace viv::agent
