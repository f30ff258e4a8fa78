#include "mcp/event_sessions.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "mcp/mcp_test_endpoint.h"

namespace viv::mcp {
namespace {

// What a stream's coroutine does: it waits, for a day if nobody wakes it.
Task<void> ServeStream(
    EventSessions& sessions, asio::io_context& io, EndpointPtr endpoint, int& waits, bool& ended) {
  EventSessions::Session stream = sessions.Open(io.get_executor(), std::move(endpoint));
  while (!stream.over()) {
    ++waits;
    co_await stream.Wait(std::chrono::hours(24));
  }
  ended = true;
}

TEST(EventSessionsTest, AStreamEndsWithWhatItLeadsTo) {
  asio::io_context io{1};
  EventSessions sessions;
  auto gone = std::make_shared<TestEndpoint>();
  auto stays = std::make_shared<TestEndpoint>();
  int gone_waits = 0, stays_waits = 0;
  bool gone_ended = false, stays_ended = false;
  asio::co_spawn(io, ServeStream(sessions, io, gone, gone_waits, gone_ended), asio::detached);
  asio::co_spawn(io, ServeStream(sessions, io, stays, stays_waits, stays_ended), asio::detached);
  io.poll();
  sessions.EndOrphans();
  io.poll();
  EXPECT_FALSE(gone_ended);
  EXPECT_EQ(gone_waits, 1);  // nobody was woken without need
  gone->there = false;
  sessions.EndOrphans();
  sessions.EndOrphans();  // twice is as good as once
  io.poll();
  EXPECT_TRUE(gone_ended);
  EXPECT_FALSE(stays_ended);
  EXPECT_EQ(stays_waits, 1);
  stays->there = false;
  sessions.EndOrphans();
  io.poll();
  EXPECT_TRUE(stays_ended);
}

}  // namespace
}  // namespace viv::mcp
