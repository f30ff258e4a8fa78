#include "base/event_loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace viv {
namespace {

constexpr auto kShort = SpinHistory::kSpinMax / 2;
constexpr auto kLong = std::chrono::seconds(1);

// The history while one message follows the other.
SpinHistory BusyHistory() {
  SpinHistory history;
  for (int i = 0; i < 100; ++i) history.RecordWait(kShort);
  return history;
}

// How many such waits it takes until polling starts, or stops.
int WaitsUntil(SpinHistory& history, bool spins, SpinHistory::Duration time) {
  int waits = 0;
  for (; history.ShouldSpin() != spins && waits < 1'000; ++waits) history.RecordWait(time);
  return waits;
}

TEST(SpinHistoryTest, SleepsUntilMessagesFollowEachOther) {
  SpinHistory history;
  EXPECT_FALSE(history.ShouldSpin());
  history.RecordWait(kLong);
  EXPECT_FALSE(history.ShouldSpin());
  EXPECT_LT(WaitsUntil(history, true, kShort), 20);
}

TEST(SpinHistoryTest, ForgivesASinglePause) {
  SpinHistory history = BusyHistory();
  for (int i = 0; i < 100; ++i) {
    history.RecordWait(kLong);
    EXPECT_TRUE(history.ShouldSpin());
    for (int j = 0; j < 4; ++j) history.RecordWait(kShort);
  }
}

TEST(SpinHistoryTest, StopsPollingAfterAFewMisses) {
  SpinHistory history = BusyHistory();
  EXPECT_LT(WaitsUntil(history, false, kLong), 10);
}

// One of `waits` polls finds an event.
SpinHistory AfterOneHitOf(int waits, SpinHistory history) {
  for (int i = 0; i < 100 * waits; ++i) history.RecordWait(i % waits == 0 ? kShort : kLong);
  return history;
}

TEST(SpinHistoryTest, PollsWhereEveryOtherPollFindsAnEvent) {
  EXPECT_TRUE(AfterOneHitOf(2, SpinHistory()).ShouldSpin());
  EXPECT_TRUE(AfterOneHitOf(2, BusyHistory()).ShouldSpin());
}

TEST(SpinHistoryTest, SleepsWhereMostPollsWouldMiss) {
  EXPECT_FALSE(AfterOneHitOf(5, SpinHistory()).ShouldSpin());
  EXPECT_FALSE(AfterOneHitOf(5, BusyHistory()).ShouldSpin());
}

class CpuHeadroomTest : public testing::Test {
 protected:
  // One sample interval passes, in which processors idled for that share of one processor.
  void Pass(double idle, CpuHeadroom::Clock::duration time = CpuHeadroom::kSampleInterval) {
    now_ += time;
    idle_ += std::chrono::duration_cast<CpuHeadroom::Clock::duration>(time * idle);
    EXPECT_TRUE(headroom_.IsStale(now_));
    headroom_.Update(now_, idle_);
    EXPECT_FALSE(headroom_.IsStale(now_));
  }

  CpuHeadroom::Clock::time_point now_{std::chrono::hours(1)};
  CpuHeadroom::Clock::duration idle_ = std::chrono::hours(2);
  CpuHeadroom headroom_;
};

TEST_F(CpuHeadroomTest, NothingIsKnownBeforeASampleIntervalHasPassed) {
  EXPECT_FALSE(headroom_.Available());
  Pass(2.0);
  EXPECT_FALSE(headroom_.Available());  // that was all the time before
  Pass(2.0);
  EXPECT_TRUE(headroom_.Available());
}

TEST_F(CpuHeadroomTest, BusyProcessorsHaveNoHeadroom) {
  Pass(0);
  Pass(0.1);
  EXPECT_FALSE(headroom_.Available());
  Pass(0.5);
  EXPECT_TRUE(headroom_.Available());
  Pass(0);
  EXPECT_FALSE(headroom_.Available());
}

TEST_F(CpuHeadroomTest, OurOwnPollingDoesNotCountAsWork) {
  Pass(0);
  for (int i = 0; i < 3; ++i) {
    headroom_.AddSpinTime(CpuHeadroom::kSampleInterval / 2);
    Pass(0);
    EXPECT_TRUE(headroom_.Available());
  }
  Pass(0);
  EXPECT_FALSE(headroom_.Available());
}

TEST_F(CpuHeadroomTest, AnOldSampleSaysNothing) {
  Pass(2.0);
  Pass(2.0, std::chrono::minutes(1));
  EXPECT_FALSE(headroom_.Available());
}

TEST(RunWithBusyPollTest, RunsWhatIsPostedAndReturnsWhenNoWorkIsLeft) {
  asio::io_context context(1);
  int ran = 0;
  asio::steady_timer timer(context, std::chrono::milliseconds(1));
  timer.async_wait([&](boost::system::error_code) {
    for (int i = 0; i < 10; ++i) asio::post(context, [&] { ++ran; });
  });
  RunWithBusyPoll(context);
  EXPECT_EQ(ran, 10);
}

TEST(RunWithBusyPollTest, ReturnsWhenItIsStoppedByAnotherThread) {
  asio::io_context context(1);
  auto work = asio::make_work_guard(context);
  std::thread runner([&] { RunWithBusyPoll(context); });
  asio::post(context, [] {});
  context.stop();
  runner.join();
  EXPECT_TRUE(context.stopped());
}

TEST(RunWithBusyPollTest, PassesExceptionsOnAndCanBeRunAgain) {
  asio::io_context context(1);
  bool ran = false;
  asio::post(context, [] { throw std::runtime_error("of a handler"); });
  asio::post(context, [&] { ran = true; });
  EXPECT_THROW(RunWithBusyPoll(context), std::runtime_error);
  RunWithBusyPoll(context);
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace viv
