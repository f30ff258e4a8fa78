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
  EXPECT_LT(WaitsUntil(patience, false, kLong), 10);
}

// Of so many waits one finds something.
Patience AfterFindingOneOf(int waits, Patience patience) {
  for (int i = 0; i < 100 * waits; ++i) patience.Waited(i % waits == 0 ? kShort : kLong);
  return patience;
}

TEST(PatienceTest, LooksOnWhereEveryOtherLookFindsSomething) {
  EXPECT_TRUE(AfterFindingOneOf(2, Patience()).LooksOn());
  EXPECT_TRUE(AfterFindingOneOf(2, Conversing()).LooksOn());
}

TEST(PatienceTest, SleepsWhereMostLooksWouldBeForNothing) {
  EXPECT_FALSE(AfterFindingOneOf(5, Patience()).LooksOn());
  EXPECT_FALSE(AfterFindingOneOf(5, Conversing()).LooksOn());
}

class SpareTimeTest : public testing::Test {
 protected:
  // A window later, in which the processors idled for that share of one.
  void Pass(double idle, SpareTime::Clock::duration time = SpareTime::kWindow) {
    now_ += time;
    idle_ += std::chrono::duration_cast<SpareTime::Clock::duration>(time * idle);
    EXPECT_TRUE(spare_.IsUnknown(now_));
    spare_.See(now_, idle_);
    EXPECT_FALSE(spare_.IsUnknown(now_));
  }

  SpareTime::Clock::time_point now_{std::chrono::hours(1)};
  SpareTime::Clock::duration idle_ = std::chrono::hours(2);
  SpareTime spare_;
};

TEST_F(SpareTimeTest, NothingIsKnownBeforeAWindowHasPassed) {
  EXPECT_FALSE(spare_.Any());
  Pass(2.0);
  EXPECT_FALSE(spare_.Any());  // that was all the time before
  Pass(2.0);
  EXPECT_TRUE(spare_.Any());
}

TEST_F(SpareTimeTest, BusyProcessorsHaveNone) {
  Pass(0);
  Pass(0.1);
  EXPECT_FALSE(spare_.Any());
  Pass(0.5);
  EXPECT_TRUE(spare_.Any());
  Pass(0);
  EXPECT_FALSE(spare_.Any());
}

TEST_F(SpareTimeTest, OurOwnLookingOnIsNoWork) {
  Pass(0);
  for (int i = 0; i < 3; ++i) {
    spare_.LookedOn(SpareTime::kWindow / 2);
    Pass(0);
    EXPECT_TRUE(spare_.Any());
  }
  Pass(0);
  EXPECT_FALSE(spare_.Any());
}

TEST_F(SpareTimeTest, WhatWasLongAgoSaysNothing) {
  Pass(2.0);
  Pass(2.0, std::chrono::minutes(1));
  EXPECT_FALSE(spare_.Any());
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
