#pragma once
// A system call that failed, as an Error: "<doing>: <the kernel's message>".

#include <cerrno>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv {

// "No such file or directory".
std::string ErrnoMessage(int error);

// kNotFound for ENOENT, kConflict for EEXIST, kLimitExceeded for a full disk or quota, and
// kInternal for everything else.
ErrorCode CodeOfErrno(int error);

// The code is CodeOfErrno(error), or the one that the caller knows better.
tl::unexpected<Error> FailErrno(std::string_view doing, int error = errno);
tl::unexpected<Error> FailErrno(ErrorCode code, std::string_view doing, int error = errno);

}  // namespace viv
