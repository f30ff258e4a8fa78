#include "base/errno_error.h"

#include <system_error>

namespace viv {

std::string ErrnoMessage(int error) {
  return std::generic_category().message(error);
}

ErrorCode CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kConflict;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::kLimitExceeded;
    default:
      return ErrorCode::kInternal;
  }
}

tl::unexpected<Error> FailErrno(std::string_view doing, int error) {
  return FailErrno(CodeOfErrno(error), doing, error);
}

tl::unexpected<Error> FailErrno(ErrorCode code, std::string_view doing, int error) {
  return Fail(code, std::string(doing) + ": " + ErrnoMessage(error));
}

}  // namespace viv
