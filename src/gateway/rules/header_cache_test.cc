#include "gateway/rules/header_cache.h"

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

Task<Result<HeadersWithTtl>> ReturnWhenReleased(std::shared_ptr<asio::steady_timer> held,
                                                Result<HeadersWithTtl> result) {
  if (held != nullptr) co_await held->async_wait(http::kTuple);
  co_return result;
}

HeadersWithTtl KeyHeader(std::string value, seconds ttl) {
  HeadersWithTtl result;
  result.headers.Add("X-Key", std::move(value));
  result.ttl = ttl;
  return result;
}

class HeaderCacheTest : public ::testing::Test {
 protected:
  HeaderCache::Fetch Fetching(Result<HeadersWithTtl> result) {
    return [this, result] {
      ++fetches_;
      return ReturnWhenReleased(held_, result);
    };
  }

  void HoldFetches() {
    held_ = std::make_shared<asio::steady_timer>(io_, asio::steady_timer::time_point::max());
  }

  using FetchedHeaders = std::shared_ptr<std::optional<Result<http::Headers>>>;
  FetchedHeaders Start(std::string key,
                       HeaderCache::Fetch fetch_headers,
                       asio::cancellation_signal* signal = nullptr) {
    auto fetched = std::make_shared<std::optional<Result<http::Headers>>>();
    auto on_end = [fetched](std::exception_ptr failure, Result<http::Headers> headers) {
      if (!failure) fetched->emplace(std::move(headers));
    };
    auto task = cache_.Get(std::move(key), std::move(fetch_headers));
    if (signal != nullptr) {
      asio::co_spawn(io_, std::move(task), asio::bind_cancellation_slot(signal->slot(), on_end));
    } else {
      asio::co_spawn(io_, std::move(task), on_end);
    }
    return fetched;
  }

  void Poll() {
    io_.restart();
    io_.poll();
  }

  // The value of X-Key, or the error.
  std::string Get(std::string key, Result<HeadersWithTtl> result) {
    FetchedHeaders fetched = Start(std::move(key), Fetching(std::move(result)));
    Poll();
    return ResultText(fetched);
  }

  static std::string ResultText(const FetchedHeaders& fetched) {
    if (!*fetched) return "nothing yet";
    return **fetched ? std::string((**fetched)->Get("x-key"))
                     : "error: " + (**fetched).error().message;
  }

  asio::io_context io_;
  std::shared_ptr<asio::steady_timer> held_;
  std::chrono::steady_clock::time_point now_{};
  HeaderCache cache_{[this] { return now_; }};
  int fetches_ = 0;
};

TEST_F(HeaderCacheTest, CachesHeadersForTheirTtl) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(60))), "one");
  now_ += seconds(59);
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(60))), "one");
  EXPECT_EQ(fetches_, 1);
  now_ += seconds(1);
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(60))), "two");
  EXPECT_EQ(fetches_, 2);
}

TEST_F(HeaderCacheTest, KeysAreSeparate) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(60))), "one");
  EXPECT_EQ(Get("b", KeyHeader("two", seconds(60))), "two");
  EXPECT_EQ(Get("a", KeyHeader("three", seconds(60))), "one");
}

TEST_F(HeaderCacheTest, ConcurrentCallersShareOneFetch) {
  HoldFetches();
  std::vector<FetchedHeaders> fetched;
  for (int i = 0; i < 5; ++i)
    fetched.push_back(Start("a", Fetching(KeyHeader("one", seconds(60)))));
  Poll();
  EXPECT_EQ(fetches_, 1);
  EXPECT_EQ(ResultText(fetched[4]), "nothing yet");
  held_->cancel();
  Poll();
  for (const FetchedHeaders& one : fetched) EXPECT_EQ(ResultText(one), "one");
  EXPECT_EQ(fetches_, 1);
}

TEST_F(HeaderCacheTest, AFailureIsReturnedToAllWaitersAndNotCached) {
  HoldFetches();
  Result<HeadersWithTtl> failure = Fail(ErrorCode::kUnavailable, "down");
  FetchedHeaders one = Start("a", Fetching(failure));
  FetchedHeaders two = Start("a", Fetching(failure));
  Poll();
  held_->cancel();
  Poll();
  EXPECT_EQ(ResultText(one), "error: down");
  EXPECT_EQ(ResultText(two), "error: down");
  held_ = nullptr;
  EXPECT_EQ(Get("a", KeyHeader("up", seconds(60))), "up");
  EXPECT_EQ(fetches_, 2);
}

TEST_F(HeaderCacheTest, ATtlOfZeroServesOnlyTheWaitingCallers) {
  EXPECT_EQ(Get("a", KeyHeader("one", seconds(0))), "one");
  EXPECT_EQ(Get("a", KeyHeader("two", seconds(0))), "two");
  EXPECT_EQ(cache_.entries(), 0u);
}

TEST_F(HeaderCacheTest, AFetchContinuesWhenItsFirstCallerLeaves) {
  HoldFetches();
  asio::cancellation_signal leave;
  FetchedHeaders first = Start("a", Fetching(KeyHeader("one", seconds(60))), &leave);
  FetchedHeaders second = Start("a", Fetching(KeyHeader("two", seconds(60))));
  Poll();
  leave.emit(asio::cancellation_type::terminal);
  Poll();
  held_->cancel();
  Poll();
  EXPECT_EQ(ResultText(second), "one");
  EXPECT_EQ(fetches_, 1);
}

TEST_F(HeaderCacheTest, AFetchOutlivesItsCache) {
  HoldFetches();
  FetchedHeaders fetched;
  {
    HeaderCache brief;
    auto on_end = [](std::exception_ptr, Result<http::Headers>) {};
    asio::co_spawn(io_, brief.Get("a", Fetching(KeyHeader("one", seconds(60)))), on_end);
    Poll();
  }
  held_->cancel();
  Poll();
  EXPECT_EQ(fetches_, 1);
}

TEST_F(HeaderCacheTest, KeepsSoManyEntriesAndDropsTheOldest) {
  for (int i = 0; i < 300; ++i) {
    now_ += seconds(1);
    Get(std::to_string(i), KeyHeader("v", seconds(3600)));
  }
  EXPECT_EQ(cache_.entries(), HeaderCache::kEntriesMax);
  fetches_ = 0;
  Get("299", KeyHeader("v", seconds(3600)));
  EXPECT_EQ(fetches_, 0);
  Get("0", KeyHeader("v", seconds(3600)));
  EXPECT_EQ(fetches_, 1);
}

TEST_F(HeaderCacheTest, KeepsSoManyBytes) {
  for (int i = 0; i < 10; ++i)
    Get(std::to_string(i), KeyHeader(std::string(HeaderCache::kBytesMax / 4, 'x'), seconds(3600)));
  EXPECT_EQ(cache_.entries(), 3u);
  Get("large", KeyHeader(std::string(HeaderCache::kBytesMax, 'x'), seconds(3600)));
  EXPECT_EQ(cache_.entries(), 3u);
}

TEST_F(HeaderCacheTest, LimitsConcurrentFetches) {
  HoldFetches();
  std::vector<FetchedHeaders> fetched;
  for (std::size_t i = 0; i <= HeaderCache::kPendingMax; ++i)
    fetched.push_back(Start(std::to_string(i), Fetching(KeyHeader("one", seconds(60)))));
  Poll();
  EXPECT_EQ(ResultText(fetched.back()), "error: too many questions are under way for this box");
  held_->cancel();
  Poll();
  EXPECT_EQ(ResultText(fetched.front()), "one");
}

}  // namespace
}  // namespace viv::gateway
