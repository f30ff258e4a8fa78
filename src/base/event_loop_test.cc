#include "base/event_loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace viv {
namespace {

constexpr auto kShort = Patience::kMoment / 2;
constexpr auto kLong = std::chrono::seconds(1);

// In a conversation, where one message follows the other.
Patience Conversing() {
  Patience patience;
  for (int i = 0; i < 100; ++i) patience.Waited(kShort);
  return patience;
}

// How many such waits until it looks on, or does no longer.
int WaitsUntil(Patience& patience, bool looks_on, Patience::Duration time) {
  int waits = 0;
  for (; patience.LooksOn() != looks_on && waits < 1'000; ++waits) patience.Waited(time);
  return waits;
}

TEST(PatienceTest, SleepsUntilMessagesFollowEachOther) {
  Patience patience;
  EXPECT_FALSE(patience.LooksOn());
  patience.Waited(kLong);
  EXPECT_FALSE(patience.LooksOn());
  EXPECT_LT(WaitsUntil(patience, true, kShort), 20);
}

TEST(PatienceTest, ForgivesASinglePause) {
  Patience patience = Conversing();
  for (int i = 0; i < 100; ++i) {
    patience.Waited(kLong);
    EXPECT_TRUE(patience.LooksOn());
    for (int j = 0; j < 4; ++j) patience.Waited(kShort);
  }
}

TEST(PatienceTest, GivesUpAfterAFewLooksForNothing) {
  Patience patience = Conversing();
  EXPECT_LT(WaitsUntil(patience, false, kLong), 5);
}

TEST(PatienceTest, SleepsWhereEveryOtherLookWouldBeForNothing) {
  Patience patience = Conversing();
  for (int i = 0; i < 10; ++i) {
    patience.Waited(kShort);
    patience.Waited(kLong);
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(patience.LooksOn());
    patience.Waited(kShort);
    EXPECT_FALSE(patience.LooksOn());
    patience.Waited(kLong);
  }
}

TEST(PatienceTest, SleepsForAWhileWhereOthersNeededTheProcessor) {
  Patience patience = Conversing();
  patience.WasInTheWay();
  const int waits = WaitsUntil(patience, true, kShort);
  EXPECT_GT(waits, 20);
  EXPECT_LT(waits, 1'000);
}

TEST(RunPatientlyTest, RunsWhatIsPostedAndReturnsWhenNoWorkIsLeft) {
  asio::io_context context(1);
  int ran = 0;
  asio::steady_timer timer(context, std::chrono::milliseconds(1));
  timer.async_wait([&](boost::system::error_code) {
    for (int i = 0; i < 10; ++i) asio::post(context, [&] { ++ran; });
  });
  RunPatiently(context);
  EXPECT_EQ(ran, 10);
}

TEST(RunPatientlyTest, ReturnsWhenItIsStoppedByAnotherThread) {
  asio::io_context context(1);
  auto work = asio::make_work_guard(context);
  std::thread runner([&] { RunPatiently(context); });
  asio::post(context, [] {});
  context.stop();
  runner.join();
  EXPECT_TRUE(context.stopped());
}

TEST(RunPatientlyTest, PassesExceptionsOnAndCanBeRunAgain) {
  asio::io_context context(1);
  bool ran = false;
  asio::post(context, [] { throw std::runtime_error("of a handler"); });
  asio::post(context, [&] { ran = true; });
  EXPECT_THROW(RunPatiently(context), std::runtime_error);
  RunPatiently(context);
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace viv
