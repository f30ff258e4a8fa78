#include "agent/process/output_log.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

std::string ReadAll(OutputLog::Reader& reader) {
  std::string text;
  while (auto piece = reader.Next()) {
    text += std::to_string(static_cast<int>(piece->stream)) + piece->bytes + ";";
  }
  return text;
}

TEST(OutputLogTest, KeepsTheOrderOfTheStreams) {
  OutputLog log;
  OutputLog::Reader reader(log, 0);
  log.Append(OutputStream::kStdout, "a");
  log.Append(OutputStream::kStdout, "b");
  log.Append(OutputStream::kStderr, "c");
  log.Append(OutputStream::kStdout, "d");
  EXPECT_EQ(ReadAll(reader), "0ab;1c;0d;");
  log.Append(OutputStream::kStdout, "e");
  EXPECT_EQ(ReadAll(reader), "0e;");
  EXPECT_EQ(ReadAll(reader), "");
}

TEST(OutputLogTest, StartsAReaderAnywhere) {
  OutputLog log;
  log.Append(OutputStream::kStdout, "abc");
  log.Append(OutputStream::kStderr, "def");
  for (std::size_t offset = 0; offset <= 6; ++offset) {
    OutputLog::Reader reader(log, offset);
    std::string text;
    while (auto piece = reader.Next()) text += piece->bytes;
    EXPECT_EQ(text, std::string("abcdef").substr(offset));
  }
  OutputLog::Reader beyond(log, 100);
  EXPECT_FALSE(beyond.Next());
  log.Append(OutputStream::kStderr, "g");
  EXPECT_EQ(ReadAll(beyond), "1g;");
}

TEST(OutputLogTest, GivesOutPiecesOfLimitedSize) {
  OutputLog log;
  log.Append(OutputStream::kTerminal, std::string(3 * OutputLog::kPieceBytesMax + 1, 'x'));
  OutputLog::Reader reader(log, 0);
  std::size_t total = 0;
  while (auto piece = reader.Next()) {
    EXPECT_LE(piece->bytes.size(), OutputLog::kPieceBytesMax);
    total += piece->bytes.size();
  }
  EXPECT_EQ(total, 3 * OutputLog::kPieceBytesMax + 1);
}

TEST(OutputLogTest, ForgetsTheOldestAndTellsWhoMissedIt) {
  OutputLog log;
  OutputLog::Reader behind(log, 0);
  std::string block(1024 * 1024, 'x');
  for (int i = 0; i < 6; ++i) log.Append(OutputStream::kStdout, block);
  EXPECT_TRUE(behind.lost());
  EXPECT_FALSE(behind.Next());
  EXPECT_EQ(log.end(), 6u * block.size());
  EXPECT_LE(log.end() - log.begin(), OutputLog::kWindowBytes);
  OutputLog::Reader within(log, log.begin());
  EXPECT_FALSE(within.lost());
  log.Trim(0);
  EXPECT_EQ(log.begin(), log.end());
  EXPECT_TRUE(within.lost());
}

TEST(OutputLogTest, CountsWhatManySmallPiecesCost) {
  OutputLog log;
  for (int i = 0; i < 200'000; ++i) {
    log.Append(i % 2 == 0 ? OutputStream::kStdout : OutputStream::kStderr, "x");
  }
  EXPECT_LE(log.end() - log.begin(), OutputLog::kWindowBytes / 64);
}

TEST(OutputLogTest, WantsMoreUntilEvenTheFastestReaderIsFarBehind) {
  OutputLog log;
  EXPECT_TRUE(log.wants_more());
  {
    OutputLog::Reader slow(log, 0);
    OutputLog::Reader fast(log, 0);
    log.Append(OutputStream::kStdout, std::string(OutputLog::kLeadBytesMax, 'x'));
    EXPECT_FALSE(log.wants_more());
    (void)fast.Next();
    EXPECT_TRUE(log.wants_more());
    EXPECT_EQ(log.readers(), 2u);
  }
  EXPECT_EQ(log.readers(), 0u);
  log.Append(OutputStream::kStdout, std::string(OutputLog::kWindowBytes, 'x'));
  EXPECT_TRUE(log.wants_more());
}

}  // namespace
}  // namespace viv::agent
