#include "base/fair_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace viv {
namespace {

// Work that says when it begins and waits until it is let go.
struct Gate {
  std::promise<void> begun;
  std::promise<void> opened;
  Result<int> operator()() {
    begun.set_value();
    opened.get_future().wait();
    return 1;
  }
};

class FairPoolTest : public testing::Test {
 protected:
  // Starts `work` for an account; its result comes through the future.
  template <typename Work>
  std::future<Result<int>> Start(FairPool& pool, std::string account, Work& work) {
    auto result = std::make_shared<std::promise<Result<int>>>();
    auto run = [](FairPool& on, std::string who, Work& what,
                  std::shared_ptr<std::promise<Result<int>>> out) -> Task<void> {
      auto call = [&what] { return what(); };
      Result<int> value = co_await on.Run(std::move(who), call);
      out->set_value(std::move(value));
    };
    asio::co_spawn(io_, run(pool, std::move(account), work, result),
                   [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    return result->get_future();
  }

  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
  std::thread thread_{[this] { io_.run(); }};

  void TearDown() override {
    guard_.reset();
    thread_.join();
  }
};

TEST_F(FairPoolTest, OneAccountNeverHasAllThreads) {
  FairPool pool({.threads = 3});
  std::vector<Gate> gates(5);
  std::vector<std::future<Result<int>>> results;
  for (Gate& gate : gates) results.push_back(Start(pool, "loud", gate));
  gates[0].begun.get_future().wait();
  gates[1].begun.get_future().wait();
  auto quick = []() -> Result<int> { return 7; };
  EXPECT_EQ(Start(pool, "quiet", quick).get(), 7);  // while the loud one's two run and three wait
  for (Gate& gate : gates) gate.opened.set_value();
  for (auto& result : results) EXPECT_EQ(result.get(), 1);
}

TEST_F(FairPoolTest, AccountsTakeTurns) {
  FairPool pool({.threads = 1});
  Gate first;
  auto held = Start(pool, "a", first);
  first.begun.get_future().wait();
  std::string order;
  auto a = [&order]() -> Result<int> { return order += 'a', 0; };
  auto b = [&order]() -> Result<int> { return order += 'b', 0; };
  std::vector<std::future<Result<int>>> results;
  for (int i = 0; i < 3; ++i) results.push_back(Start(pool, "a", a));
  results.push_back(Start(pool, "b", b));
  std::promise<void> posted;
  asio::post(io_, [&posted] { posted.set_value(); });
  posted.get_future().wait();
  first.opened.set_value();
  for (auto& result : results) result.wait();
  held.wait();
  EXPECT_EQ(order, "abaa");
}

TEST_F(FairPoolTest, AQueueHasAnEnd) {
  FairPool pool({.threads = 1, .account_waiting_max = 2, .waiting_max = 3});
  Gate first;
  auto held = Start(pool, "a", first);
  first.begun.get_future().wait();
  auto quick = []() -> Result<int> { return 7; };
  auto one = Start(pool, "a", quick);
  auto two = Start(pool, "a", quick);
  EXPECT_EQ(Start(pool, "a", quick).get().error().code, ErrorCode::kUnavailable);
  auto other = Start(pool, "b", quick);
  EXPECT_EQ(Start(pool, "c", quick).get().error().code, ErrorCode::kUnavailable);
  first.opened.set_value();
  for (auto* result : {&one, &two, &other}) EXPECT_EQ(result->get(), 7);
  EXPECT_EQ(held.get(), 1);
  EXPECT_EQ(Start(pool, "a", quick).get(), 7);
}

}  // namespace
}  // namespace viv
