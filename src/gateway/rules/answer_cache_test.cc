#include "gateway/rules/answer_cache.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

using std::chrono::seconds;

Task<Result<FreshAnswer>> AnswerWhenOpen(std::shared_ptr<asio::steady_timer> gate,
                                         Result<FreshAnswer> answer) {
  if (gate != nullptr) co_await gate->async_wait(http::kTuple);
  co_return answer;
}

FreshAnswer KeyHeader(std::string value, seconds fresh_for) {
  FreshAnswer answer;
  answer.headers.Add("X-Key", std::move(value));
  answer.fresh_for = fresh_for;
  return answer;
}

class AnswerCacheTest : public ::testing::Test {
 protected:
  AnswerCache::Ask Asking(Result<FreshAnswer> answer) {
    return [this, answer] {
      ++asked_;
      return AnswerWhenOpen(gate_, answer);
    };
  }

  void CloseGate() {
    gate_ = std::make_shared<asio::steady_timer>(io_, asio::steady_timer::time_point::max());
  }

  using Given = std::shared_ptr<std::optional<Result<http::Headers>>>;
  Given Start(std::string key, AnswerCache::Ask ask, asio::cancellation_signal* signal = nullptr) {
    auto given = std::make_shared<std::optional<Result<http::Headers>>>();
    auto on_end = [given](std::exception_ptr failure, Result<http::Headers> headers) {
      if (!failure) given->emplace(std::move(headers));
    };
    auto task = cache_.Get(std::move(key), std::move(ask));
    if (signal != nullptr) {
      asio::co_spawn(io_, std::move(task), asio::bind_cancellation_slot(signal->slot(), on_end));
    } else {
      asio::co_spawn(io_, std::move(task), on_end);
    }
    return given;
  }

  void Poll() {
    io_.restart();
    io_.poll();
  }

  // The value of X-Key, or the error.
  std::string Get(std::string key, Result<FreshAnswer> answer) {
    Given given = Start(std::move(key), Asking(std::move(answer)));
    Poll();
    return Said(given);
  }

  static std::string Said(const Given& given) {
    if (!*given) return "nothing yet";
    return **given ? std::string((**given)->Get("x-key")) : "error: " + (**given).error().message;
  }

  asio::io_context io_;
  std::shared_ptr<asio::steady_timer> gate_;
  std::chrono::steady_clock::time_point now_{};
  AnswerCache cache_{[this] { return now_; }};
  int asked_ = 0;
};

TEST_F(AnswerCacheTest, KeepsAnAnswerForItsTime) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(60))), "one");
  now_ += seconds(59);
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(60))), "one");
  EXPECT_EQ(asked_, 1);
  now_ += seconds(1);
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(60))), "two");
  EXPECT_EQ(asked_, 2);
}

TEST_F(AnswerCacheTest, KeysAreApart) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(60))), "one");
  EXPECT_EQ(Get("b", KeyHeader("two", seconds(60))), "two");
  EXPECT_EQ(Get("a", KeyHeader("three", seconds(60))), "one");
}

TEST_F(AnswerCacheTest, WhoeverAsksMeanwhileSharesTheQuestion) {
  CloseGate();
  std::vector<Given> given;
  for (int i = 0; i < 5; ++i) given.push_back(Start("a", Asking(KeyHeader("one", seconds(60)))));
  Poll();
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(Said(given[4]), "nothing yet");
  gate_->cancel();
  Poll();
  for (const Given& one : given) EXPECT_EQ(Said(one), "one");
  EXPECT_EQ(asked_, 1);
}

TEST_F(AnswerCacheTest, AFailureIsToldToAllWhoWaitAndKeptForNobody) {
  CloseGate();
  Result<FreshAnswer> failure = Fail(ErrorCode::kUnavailable, "down");
  Given one = Start("a", Asking(failure));
  Given two = Start("a", Asking(failure));
  Poll();
  gate_->cancel();
  Poll();
  EXPECT_EQ(Said(one), "error: down");
  EXPECT_EQ(Said(two), "error: down");
  gate_ = nullptr;
  EXPECT_EQ(Get("a", KeyHeader("up", seconds(60))), "up");
  EXPECT_EQ(asked_, 2);
}

TEST_F(AnswerCacheTest, AnAnswerOfNoTimeIsForThoseWhoWaitAlone) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(0))), "one");
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(0))), "two");
  EXPECT_EQ(cache_.entries(), 0u);
}

TEST_F(AnswerCacheTest, TheQuestionGoesOnWhenTheFirstWhoAskedLeaves) {
  CloseGate();
  asio::cancellation_signal leave;
  Given first = Start("a", Asking(KeyHeader("one", seconds(60))), &leave);
  Given second = Start("a", Asking(KeyHeader("two", seconds(60))));
  Poll();
  leave.emit(asio::cancellation_type::terminal);
  Poll();
  gate_->cancel();
  Poll();
  EXPECT_EQ(Said(second), "one");
  EXPECT_EQ(asked_, 1);
}

TEST_F(AnswerCacheTest, AQuestionOutlivesItsCache) {
  CloseGate();
  Given given;
  {
    AnswerCache brief;
    auto on_end = [](std::exception_ptr, Result<http::Headers>) {};
    asio::co_spawn(io_, brief.Get("a", Asking(KeyHeader("one", seconds(60)))), on_end);
    Poll();
  }
  gate_->cancel();
  Poll();
  EXPECT_EQ(asked_, 1);
}

TEST_F(AnswerCacheTest, KeepsSoManyEntriesAndDropsTheOldest) {
  for (int i = 0; i < 300; ++i) {
    now_ += seconds(1);
    Get(std::to_string(i), KeyHeader("v", seconds(3600)));
  }
  EXPECT_EQ(cache_.entries(), AnswerCache::kEntriesMax);
  asked_ = 0;
  Get("299", KeyHeader("v", seconds(3600)));
  EXPECT_EQ(asked_, 0);
  Get("0", KeyHeader("v", seconds(3600)));
  EXPECT_EQ(asked_, 1);
}

TEST_F(AnswerCacheTest, KeepsSoManyBytes) {
  for (int i = 0; i < 10; ++i)
    Get(std::to_string(i), KeyHeader(std::string(AnswerCache::kBytesMax / 4, 'x'), seconds(3600)));
  EXPECT_EQ(cache_.entries(), 3u);
  Get("large", KeyHeader(std::string(AnswerCache::kBytesMax, 'x'), seconds(3600)));
  EXPECT_EQ(cache_.entries(), 3u);
}

TEST_F(AnswerCacheTest, AsksSoManyQuestionsAtOnce) {
  CloseGate();
  std::vector<Given> given;
  for (std::size_t i = 0; i <= AnswerCache::kQuestionsMax; ++i)
    given.push_back(Start(std::to_string(i), Asking(KeyHeader("one", seconds(60)))));
  Poll();
  EXPECT_EQ(Said(given.back()), "error: too many questions are under way for this box");
  gate_->cancel();
  Poll();
  EXPECT_EQ(Said(given.front()), "one");
}

}  // namespace
}  // namespace viv::gateway
