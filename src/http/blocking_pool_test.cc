#include "base/blocking_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/result.h"

namespace viv {
namespace {

struct Seen {
  std::thread::id before;
  std::thread::id during;
  std::thread::id after;
  Result<std::string> value = "none";
};

Task<void> Visit(BlockingPool& pool, Seen& seen) {
  seen.before = std::this_thread::get_id();
  auto work = [&seen]() -> Result<std::string> {
    seen.during = std::this_thread::get_id();
    return "done";
  };
  seen.value = co_await pool.Run(work);
  seen.after = std::this_thread::get_id();
}

TEST(BlockingPoolTest, WorksElsewhereAndResumesOnTheCallersExecutor) {
  BlockingPool pool(1);
  asio::io_context io;
  Seen seen;
  asio::co_spawn(io, Visit(pool, seen), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
  io.run();
  EXPECT_EQ(seen.value.value(), "done");
  EXPECT_EQ(seen.before, seen.after);
  EXPECT_NE(seen.before, seen.during);
}

TEST(BlockingPoolTest, CarriesAFailure) {
  BlockingPool pool(1);
  asio::io_context io;
  Result<int> result = 0;
  auto run = [&]() -> Task<void> {
    auto work = []() -> Result<int> { return Fail(ErrorCode::kNotFound, "gone"); };
    result = co_await pool.Run(work);
  };
  asio::co_spawn(io, run(), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
  io.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "gone");
}

}  // namespace
}  // namespace viv
