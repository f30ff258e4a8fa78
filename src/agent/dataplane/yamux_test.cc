#include "agent/dataplane/yamux.h"

#include <gtest/gtest.h>

#include <vector>

namespace viv::agent {
namespace {

// Every frame as text: "type flags stream length data".
std::vector<std::string> FramesOf(std::string_view bytes, std::size_t step) {
  YamuxParser parser;
  std::vector<std::string> frames;
  for (;;) {
    switch (parser.Next()) {
      case YamuxParser::Step::kMore:
        if (bytes.empty()) return frames;
        parser.Feed(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
        break;
      case YamuxParser::Step::kFrame: {
        const YamuxHeader& header = parser.header();
        frames.push_back(std::to_string(static_cast<int>(header.type)) + " " +
                         std::to_string(header.flags) + " " + std::to_string(header.stream) + " " +
                         std::to_string(header.length) + " ");
        break;
      }
      case YamuxParser::Step::kData:
        frames.back() += parser.data();
        if (parser.last_data()) frames.back() += ".";
        break;
      case YamuxParser::Step::kBroken:
        frames.push_back("broken: " + parser.error());
        return frames;
    }
  }
}

TEST(YamuxTest, WritesTheHeaderAsTheProtocolSays) {
  std::string bytes = EncodeYamux({YamuxType::kWindowUpdate, kYamuxSyn, 0x01020304, 0xA0B0C0D0});
  EXPECT_EQ(bytes, std::string("\0\1\0\1\1\2\3\4\xA0\xB0\xC0\xD0", 12));
}

TEST(YamuxTest, ReadsFramesHoweverTheyAreCut) {
  std::string bytes = EncodeYamux({YamuxType::kWindowUpdate, kYamuxSyn, 1, 0}) +
                      EncodeYamux({YamuxType::kData, kYamuxFin, 1, 5}) + "hello" +
                      EncodeYamux({YamuxType::kData, 0, 3, 0}) +
                      EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 0xFFFFFFFF}) +
                      EncodeYamux({YamuxType::kGoAway, 0, 0, 1});
  std::vector<std::string> wanted{"1 1 1 0 ", "0 4 1 5 hello.", "0 0 3 0 ", "2 1 0 4294967295 ",
                                  "3 0 0 1 "};
  for (std::size_t step : {1U, 5U, 12U, 1000U}) EXPECT_EQ(FramesOf(bytes, step), wanted) << step;
}

TEST(YamuxTest, HandsDataOnBeforeAllOfItIsThere) {
  std::string bytes = EncodeYamux({YamuxType::kData, 0, 1, 0xFFFFFFFF}) + "ab";
  EXPECT_EQ(FramesOf(bytes, 100), (std::vector<std::string>{"0 0 1 4294967295 ab"}));
}

TEST(YamuxTest, RefusesOtherVersionsAndTypes) {
  EXPECT_EQ(FramesOf(std::string("\1\0\0\0\0\0\0\0\0\0\0\0", 12), 100)[0],
            "broken: yamux version 1");
  EXPECT_EQ(FramesOf(std::string("\0\4\0\0\0\0\0\0\0\0\0\0", 12), 100)[0],
            "broken: yamux frame of type 4");
  YamuxParser parser;
  parser.Feed("GET / HTTP/1.1\r\n");
  EXPECT_EQ(parser.Next(), YamuxParser::Step::kBroken);
  parser.Feed(EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 1}));
  EXPECT_EQ(parser.Next(), YamuxParser::Step::kBroken) << "and stays so";
}

TEST(YamuxTest, WaitsForTheWholeHeader) {
  EXPECT_TRUE(FramesOf(std::string(11, '\0'), 100).empty());
}

}  // namespace
}  // namespace viv::agent
