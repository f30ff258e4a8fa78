#pragma once
// A failed system call as an Error: what was done to what, and the kernel's word for why not.

#include <cerrno>
#include <string>
#include <system_error>

#include "base/result.h"

namespace viv::storage {

inline ErrorCode CodeOfErrno(int error) {
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

inline tl::unexpected<Error> FailErrno(std::string doing, int error = errno) {
  return Fail(CodeOfErrno(error), std::move(doing) + ": " + std::generic_category().message(error));
}

}  // namespace viv::storage
