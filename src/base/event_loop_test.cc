#include "base/event_loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace viv {
namespace {

constexpr auto kLong = std::chrono::seconds(1);

TEST(PatienceTest, SleepsAtOnceUntilSomethingCameSoonAfterASleep) {
  Patience patience;
  EXPECT_FALSE(patience.LooksOn());
  patience.Slept(kLong);
  EXPECT_FALSE(patience.LooksOn());
  patience.Slept(Patience::kMoment / 2);
  EXPECT_TRUE(patience.LooksOn());
}

TEST(PatienceTest, LooksOnWhileItFinds) {
  Patience patience;
  patience.Slept(Patience::kMoment / 2);
  for (int i = 0; i < 100; ++i) {
    patience.Found();
    patience.FoundNothing();
    EXPECT_TRUE(patience.LooksOn());
  }
}

TEST(PatienceTest, GivesUpAfterAFewLooksForNothing) {
  Patience patience;
  patience.Slept(Patience::kMoment / 2);
  patience.Found();
  int looks = 0;
  while (patience.LooksOn() && looks < 100) {
    patience.FoundNothing();
    patience.Slept(kLong);
    ++looks;
  }
  EXPECT_LT(looks, 10);
}

TEST(PatienceTest, SleepsForAWhileWhereOthersNeededTheProcessor) {
  Patience patience;
  patience.Slept(Patience::kMoment / 2);
  patience.Found();
  patience.WasInTheWay();
  int sleeps = 0;
  while (!patience.LooksOn() && sleeps < 1'000) {
    patience.Slept(Patience::kMoment / 2);
    ++sleeps;
  }
  EXPECT_GT(sleeps, 20);
  EXPECT_LT(sleeps, 1'000);
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
