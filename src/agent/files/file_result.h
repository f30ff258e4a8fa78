#pragma once
// What the file operations answer: a value, or an errno with the sentence a caller reads. The words
// are those that clients of envd know ("mkdir /x: permission denied").

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
// The sentence alone; `code` says what kind of trouble it is.
tl::unexpected<FileError> FailFileWith(int code, std::string message);
// The trouble with what was being done before it.
tl::unexpected<FileError> AddContext(FileError file_error, std::string_view doing);

}  // namespace viv::agent
