#include "agent/files/file_result.h"

namespace viv::agent {

tl::unexpected<FileError> FailFile(int code, std::string_view doing) {
  return FailFileWith(code, std::string(doing) + ": " + ErrnoText(code));
}

tl::unexpected<FileError> FailFileWith(int code, std::string message) {
  return tl::unexpected<FileError>(FileError{code, std::move(message)});
}

tl::unexpected<FileError> AddContext(FileError file_error, std::string_view doing) {
  file_error.message.insert(0, std::string(doing) + ": ");
  return tl::unexpected<FileError>(std::move(file_error));
}

}  // namespace viv::agent
