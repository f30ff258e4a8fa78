#include "http/event_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace viv::http {
namespace {

std::vector<ServerSentEvent> EventsIn(EventParser& parser) {
  std::vector<ServerSentEvent> events;
  while (auto event = parser.Next()) events.push_back(*event);
  return events;
}

std::vector<ServerSentEvent> EventsOf(std::string_view text, std::size_t piece_bytes) {
  EventParser parser(1000);
  std::vector<ServerSentEvent> events;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
    EXPECT_TRUE(parser.Feed(text.substr(at, piece_bytes)));
    for (auto& event : EventsIn(parser)) events.push_back(event);
  }
  return events;
}

TEST(EventParserTest, ReadsTheSameHoweverTheBytesArrive) {
  constexpr std::string_view kText =
      ": hello\n\nevent: stdout\ndata: {\"a\":1}\n\nid: 7\r\ndata: x\r\ndata:y\r\n\r\n: ping\n\n"
      "data\n\n";
  for (std::size_t piece_bytes : {1, 2, 3, 7, 1000}) {
    auto events = EventsOf(kText, piece_bytes);
    ASSERT_EQ(events.size(), 3U) << piece_bytes;
    EXPECT_EQ(events[0].event, "stdout");
    EXPECT_EQ(events[0].data, "{\"a\":1}");
    EXPECT_EQ(events[1].id, "7");
    EXPECT_EQ(events[1].event, "");
    EXPECT_EQ(events[1].data, "x\ny");
    EXPECT_EQ(events[2].data, "");
  }
}

TEST(EventParserTest, ReadsWhatFormatEventWrites) {
  ServerSentEvent event{"3", "exit", "two\nlines"};
  auto events = EventsOf(FormatEvent(event), 4);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].id, event.id);
  EXPECT_EQ(events[0].event, event.event);
  EXPECT_EQ(events[0].data, event.data);
}

TEST(EventParserTest, AnEventWithoutDataIsNoneAndLeavesNothingBehind) {
  auto events = EventsOf("event: lost\nid: 1\n\ndata: kept\n\n", 5);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event, "");
  EXPECT_EQ(events[0].id, "");
}

TEST(EventParserTest, AnUnfinishedEventIsNotGiven) {
  EXPECT_TRUE(EventsOf("data: half", 3).empty());
  EXPECT_TRUE(EventsOf("data: half\n", 3).empty());
}

TEST(EventParserTest, RefusesALineOrAnEventBeyondTheLimit) {
  EventParser line(10);
  EXPECT_FALSE(line.Feed("data: 12345"));
  EventParser event(30);
  Status fed;
  for (int i = 0; i < 10 && fed; ++i) {
    fed = event.Feed("data: 12345\n");
    EXPECT_TRUE(EventsIn(event).empty());
  }
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace viv::http
