#include "base/errno_error.h"

#include <gtest/gtest.h>

namespace viv {
namespace {

TEST(ErrnoErrorTest, NamesWhatWasDoneAndTheKernelsReason) {
  const Status failed = FailErrno("open /x", ENOENT);
  EXPECT_EQ(failed.error().message, "open /x: No such file or directory");
  EXPECT_EQ(failed.error().code, ErrorCode::kNotFound);
}

TEST(ErrnoErrorTest, TakesErrnoWhereNoNumberIsGiven) {
  errno = EEXIST;
  const Status failed = FailErrno("make /x");
  EXPECT_EQ(failed.error().message, "make /x: File exists");
  EXPECT_EQ(failed.error().code, ErrorCode::kConflict);
}

TEST(ErrnoErrorTest, AFullDiskAndAUsedUpQuotaAreLimits) {
  EXPECT_EQ(CodeOfErrno(ENOSPC), ErrorCode::kLimitExceeded);
  EXPECT_EQ(CodeOfErrno(EDQUOT), ErrorCode::kLimitExceeded);
  EXPECT_EQ(CodeOfErrno(EIO), ErrorCode::kInternal);
}

TEST(ErrnoErrorTest, TheCallersCodeCountsMoreThanTheKernels) {
  const Status failed = FailErrno(ErrorCode::kUnavailable, "open /x", ENOENT);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(failed.error().message, "open /x: No such file or directory");
}

}  // namespace
}  // namespace viv
