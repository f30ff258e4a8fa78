#include "gateway/origin_pool.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "gateway/forward_request_test_support.h"

namespace viv::gateway {
namespace {

using std::chrono::seconds;

class TestConnection : public OriginConnection,
                       public std::enable_shared_from_this<TestConnection> {
 public:
  explicit TestConnection(std::size_t exchanges_max) : exchanges_max_(exchanges_max) {}

  bool CanOpen() const override { return !closed && open < exchanges_max_; }
  bool IsIdle() const override { return open == 0; }
  Result<std::unique_ptr<OriginExchange>> Open() override;
  void Close() override { closed = true; }
  void Tick(std::chrono::steady_clock::time_point) override { ++ticks; }

  std::size_t open = 0;
  int ticks = 0;
  bool closed = false;

 private:
  const std::size_t exchanges_max_;
};

class CountedExchange : public OriginExchange {
 public:
  explicit CountedExchange(std::shared_ptr<TestConnection> of) : connection(std::move(of)) {}
  ~CountedExchange() override { --connection->open; }
  Task<Status> SendHead(RequestHead) override { co_return Status(); }
  Task<Status> SendBody(std::string) override { co_return Status(); }
  Task<Status> Finish(http::Headers) override { co_return Status(); }
  Task<Result<ResponseHead>> ReadHead() override { co_return ResponseHead(); }
  Task<Result<std::string>> ReadBody() override { co_return std::string(); }
  const http::Headers& trailers() const override { return none_; }

  const std::shared_ptr<TestConnection> connection;

 private:
  const http::Headers none_;
};

Result<std::unique_ptr<OriginExchange>> TestConnection::Open() {
  ++open;
  return std::make_unique<CountedExchange>(shared_from_this());
}

class OriginPoolTest : public testing::Test {
 protected:
  using Opened = std::unique_ptr<OriginExchange>;

  // Dials wait while `dials_wait` is set.
  Task<Result<DialledOrigin>> Dial() {
    ++dials;
    while (dials_wait) co_await dial_timer.async_wait(http::kTuple);
    if (dial_failure) co_return PassUp(*dial_failure);
    DialledOrigin dialled;
    auto connection = std::make_shared<TestConnection>(http2 ? 100 : 1);
    connections.push_back(connection);
    dialled.connection = connection;
    dialled.http2 = http2;
    co_return dialled;
  }
  Task<void> Ask(OriginKey key,
                 OriginRequirements requirements,
                 std::optional<Result<Opened>>& into) {
    OriginPool::DialOrigin dial = [this] { return Dial(); };
    auto opened = co_await pool.Open(std::move(key), requirements, std::move(dial));
    if (opened) into = std::move(opened->exchange);
    if (!opened) into = PassUp(opened.error());
  }
  void StartAsk(std::optional<Result<Opened>>& into,
                OriginKey key,
                OriginRequirements requirements = {}) {
    asio::co_spawn(io, Ask(std::move(key), requirements, into),
                   [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    Work();
  }
  void StartPreconnect(OriginKey key) {
    OriginPool::DialOrigin dial = [this] { return Dial(); };
    asio::co_spawn(io, pool.Preconnect(std::move(key), std::move(dial)),
                   [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    Work();
  }
  Opened OpenFor(OriginKey key, OriginRequirements requirements = {}) {
    std::optional<Result<Opened>> opened;
    StartAsk(opened, std::move(key), requirements);
    EXPECT_TRUE(opened && *opened);
    return opened && *opened ? **std::move(opened) : nullptr;
  }
  void Work() {
    io.restart();
    io.poll();
  }
  void LetDial() {
    dials_wait = false;
    dial_timer.cancel();
    Work();
  }
  static OriginKey KeyOf(std::string host, bool secure = true) {
    OriginKey key;
    key.secure = secure;
    key.host = std::move(host);
    key.port = 443;
    return key;
  }
  void TickAt(seconds after) { pool.Tick(start + after); }

  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  asio::io_context io;
  asio::steady_timer dial_timer{io, std::chrono::steady_clock::time_point::max()};
  OriginPool pool{io.get_executor()};
  std::vector<std::shared_ptr<TestConnection>> connections;
  std::optional<Error> dial_failure;
  bool dials_wait = false;
  bool http2 = false;
  int dials = 0;
};

TEST_F(OriginPoolTest, UsesAnIdleConnectionAgain) {
  OpenFor(KeyOf("a")).reset();
  OpenFor(KeyOf("a")).reset();
  EXPECT_EQ(dials, 1);
  EXPECT_EQ(pool.size(), 1u);
}

TEST_F(OriginPoolTest, SharesNothingBetweenOrigins) {
  OriginKey other_port = KeyOf("a"), other_address = KeyOf("a");
  other_port.port = 8443;
  other_address.address = *network::ParseAddress("192.0.2.1");
  for (const OriginKey& key :
       {KeyOf("a"), KeyOf("b"), KeyOf("a", false), other_port, other_address}) {
    OpenFor(key).reset();
  }
  EXPECT_EQ(dials, 5);
}

TEST_F(OriginPoolTest, OpensAnotherConnectionWhileOneIsBusy) {
  auto first = OpenFor(KeyOf("a"));
  auto second = OpenFor(KeyOf("a"));
  EXPECT_EQ(dials, 2);
}

TEST_F(OriginPoolTest, PutsManyExchangesOnOneConnectionOfHttp2) {
  http2 = true;
  auto first = OpenFor(KeyOf("a"));
  auto second = OpenFor(KeyOf("a"));
  EXPECT_EQ(dials, 1);
  EXPECT_EQ(connections[0]->open, 2u);
}

TEST_F(OriginPoolTest, GivesAnUpgradeNoConnectionOfHttp2) {
  http2 = true;
  OpenFor(KeyOf("a")).reset();
  OriginRequirements requirements;
  requirements.version = OriginRequirements::Version::kHttp1;
  http2 = false;
  auto upgrading = OpenFor(KeyOf("a"), requirements);
  EXPECT_EQ(dials, 2);
}

TEST_F(OriginPoolTest, DialsAnewWhenAskedForAFreshOne) {
  OpenFor(KeyOf("a")).reset();
  OriginRequirements requirements;
  requirements.freshness = OriginRequirements::Freshness::kFresh;
  OpenFor(KeyOf("a"), requirements).reset();
  EXPECT_EQ(dials, 2);
}

TEST_F(OriginPoolTest, LetsOneDialForAllWhoAskAtOnce) {
  http2 = dials_wait = true;
  std::optional<Result<Opened>> first, second, third;
  StartAsk(first, KeyOf("a"));
  StartAsk(second, KeyOf("a"));
  StartAsk(third, KeyOf("b"));
  EXPECT_EQ(dials, 2);
  LetDial();
  EXPECT_TRUE(first && *first);
  EXPECT_TRUE(second && *second);
  EXPECT_EQ(dials, 2);
}

TEST_F(OriginPoolTest, LetsAllDialWhereTheOriginHasOnlyHttp1) {
  dials_wait = true;
  std::optional<Result<Opened>> first, second, third;
  StartAsk(first, KeyOf("a"));
  StartAsk(second, KeyOf("a"));
  StartAsk(third, KeyOf("a"));
  EXPECT_EQ(dials, 1);
  LetDial();
  EXPECT_TRUE(first && second && third && *third);
  EXPECT_EQ(dials, 3);
}

TEST_F(OriginPoolTest, TellsAllWhoWaitThatTheDialFailed) {
  dials_wait = true;
  dial_failure = Error{ErrorCode::kUnavailable, "nobody there"};
  std::optional<Result<Opened>> first, second;
  StartAsk(first, KeyOf("a"));
  StartAsk(second, KeyOf("a"));
  LetDial();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*first);
  EXPECT_FALSE(*second);
  EXPECT_EQ(dials, 1);
  dial_failure.reset();
  EXPECT_NE(OpenFor(KeyOf("a")), nullptr);
}

TEST_F(OriginPoolTest, PreconnectsForTheNextRequest) {
  StartPreconnect(KeyOf("a"));
  EXPECT_EQ(dials, 1);
  EXPECT_NE(OpenFor(KeyOf("a")), nullptr);
  EXPECT_EQ(dials, 1);
}

TEST_F(OriginPoolTest, OneRequestWaitsForAPreconnectEvenWithHttp1) {
  Opened busy = OpenFor(KeyOf("a"));  // the pool now knows that the origin has HTTP/1.1
  dials_wait = true;
  StartPreconnect(KeyOf("a"));
  EXPECT_EQ(dials, 2);
  std::optional<Result<Opened>> first, second;
  StartAsk(first, KeyOf("a"));
  EXPECT_EQ(dials, 2);
  StartAsk(second, KeyOf("a"));
  EXPECT_EQ(dials, 3);
  LetDial();
  EXPECT_TRUE(first && *first);
  EXPECT_TRUE(second && *second);
  EXPECT_EQ(dials, 3);
}

TEST_F(OriginPoolTest, DoesNotPreconnectWhereAConnectionExistsOrIsBeingDialled) {
  OpenFor(KeyOf("a")).reset();
  StartPreconnect(KeyOf("a"));
  EXPECT_EQ(dials, 1);
  dials_wait = true;
  std::optional<Result<Opened>> asked;
  StartAsk(asked, KeyOf("b"));
  StartPreconnect(KeyOf("b"));
  StartPreconnect(KeyOf("c"));
  StartPreconnect(KeyOf("c"));
  EXPECT_EQ(dials, 3);
  LetDial();
}

TEST_F(OriginPoolTest, TellsTheFailureOfAPreconnectToItsWaitersAlone) {
  dials_wait = true;
  dial_failure = Error{ErrorCode::kUnavailable, "nobody there"};
  StartPreconnect(KeyOf("a"));
  std::optional<Result<Opened>> asked;
  StartAsk(asked, KeyOf("a"));
  LetDial();
  ASSERT_TRUE(asked);
  EXPECT_FALSE(*asked);
  StartPreconnect(KeyOf("a"));
  dial_failure.reset();
  EXPECT_NE(OpenFor(KeyOf("a")), nullptr);
  EXPECT_EQ(dials, 3);
}

TEST_F(OriginPoolTest, ClosesAPreconnectThatEndsAfterThePool) {
  dials_wait = true;
  StartPreconnect(KeyOf("a"));
  pool.CloseAll();
  LetDial();
  ASSERT_EQ(connections.size(), 1u);
  EXPECT_TRUE(connections.front()->closed);
  EXPECT_TRUE(pool.empty());
}

TEST_F(OriginPoolTest, ClosesWhatWasIdleForAMinute) {
  OpenFor(KeyOf("a")).reset();
  TickAt(seconds(1));
  TickAt(seconds(60));
  EXPECT_EQ(pool.size(), 1u);
  TickAt(seconds(61));
  EXPECT_TRUE(pool.empty());
  EXPECT_TRUE(connections[0]->closed);
  EXPECT_EQ(connections[0]->ticks, 3);
}

TEST_F(OriginPoolTest, CountsTheMinuteFromTheLastUse) {
  OpenFor(KeyOf("a")).reset();
  TickAt(seconds(1));
  auto busy = OpenFor(KeyOf("a"));
  TickAt(seconds(100));
  busy.reset();
  TickAt(seconds(101));
  TickAt(seconds(160));
  EXPECT_EQ(pool.size(), 1u);
  TickAt(seconds(161));
  EXPECT_TRUE(pool.empty());
}

TEST_F(OriginPoolTest, DropsDeadConnections) {
  OpenFor(KeyOf("a")).reset();
  connections[0]->closed = true;
  OpenFor(KeyOf("a")).reset();
  EXPECT_EQ(dials, 2);
  EXPECT_EQ(pool.size(), 1u);
}

TEST_F(OriginPoolTest, KeepsOnlySoManyIdleOnesAndThoseUsedLast) {
  for (int i = 0; i < 20; ++i) OpenFor(KeyOf("host" + std::to_string(i))).reset();
  TickAt(seconds(1));
  EXPECT_EQ(pool.size(), 16u);
  EXPECT_TRUE(connections[3]->closed);
  EXPECT_FALSE(connections[4]->closed);
}

TEST_F(OriginPoolTest, RefusesMoreThanABoxMayHave) {
  std::vector<Opened> open;
  for (int i = 0; i < 256; ++i) open.push_back(OpenFor(KeyOf("a")));
  std::optional<Result<Opened>> one_more;
  StartAsk(one_more, KeyOf("b"));
  ASSERT_TRUE(one_more);
  ASSERT_FALSE(*one_more);
  EXPECT_EQ(one_more->error().code, ErrorCode::kLimitExceeded);
  open.pop_back();
  TickAt(seconds(1));
  EXPECT_NE(OpenFor(KeyOf("a")), nullptr);
}

TEST_F(OriginPoolTest, ClosesAnIdleOneBeforeItRefuses) {
  std::vector<Opened> open;
  OpenFor(KeyOf("idle")).reset();
  for (int i = 0; i < 255; ++i) open.push_back(OpenFor(KeyOf("a")));
  EXPECT_NE(OpenFor(KeyOf("b")), nullptr);
  EXPECT_TRUE(connections[0]->closed);
  EXPECT_EQ(pool.size(), 256u);
}

TEST_F(OriginPoolTest, OpensNothingOnceItIsClosed) {
  dials_wait = true;
  std::optional<Result<Opened>> dialling, late;
  StartAsk(dialling, KeyOf("a"));
  pool.CloseAll();
  LetDial();
  ASSERT_TRUE(dialling);
  EXPECT_FALSE(*dialling);
  EXPECT_TRUE(connections[0]->closed);
  StartAsk(late, KeyOf("a"));
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);
  EXPECT_TRUE(pool.empty());
}

}  // namespace
}  // namespace viv::gateway
