#include "base/async_mutex.h"

#include <gtest/gtest.h>

#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

namespace viv {
namespace {

Task<void> TurnInOrder(AsyncMutex& mutex, std::vector<int>& order, int number) {
  AsyncMutex::Lock lock = co_await mutex.Acquire();
  order.push_back(number);
  co_await asio::post(asio::use_awaitable);  // others would run here if they could
  order.push_back(number);
}

TEST(AsyncMutexTest, LetsOneInAtATimeInTheOrderOfAsking) {
  asio::io_context io;
  AsyncMutex mutex;
  std::vector<int> order;
  for (int number : {1, 2, 3})
    asio::co_spawn(io, TurnInOrder(mutex, order, number), asio::detached);
  io.run();
  EXPECT_EQ(order, (std::vector<int>{1, 1, 2, 2, 3, 3}));
}

TEST(AsyncMutexTest, IsTakenAtOnceOrNotAtAll) {
  AsyncMutex mutex;
  AsyncMutex::Lock first;
  AsyncMutex::Lock second;
  EXPECT_TRUE(mutex.TryAcquire(first));
  EXPECT_FALSE(mutex.TryAcquire(second));
  first = AsyncMutex::Lock();
  EXPECT_TRUE(mutex.TryAcquire(second));
}

Task<void> CountUnderLock(AsyncMutex& mutex, int& count) {
  AsyncMutex::Lock lock = co_await mutex.Acquire();
  int seen = count;
  co_await asio::post(asio::use_awaitable);
  count = seen + 1;
}

TEST(AsyncMutexTest, HoldsAcrossThreads) {
  AsyncMutex mutex;
  int count = 0;
  asio::thread_pool threads(4);
  for (int i = 0; i < 200; ++i)
    asio::co_spawn(threads, CountUnderLock(mutex, count), asio::detached);
  threads.join();
  EXPECT_EQ(count, 200);
}

}  // namespace
}  // namespace viv
