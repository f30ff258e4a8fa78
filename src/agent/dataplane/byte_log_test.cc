#include "agent/dataplane/byte_log.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

constexpr auto kSameSequence = ByteLog::ReadExtent::kSameSequence;
constexpr auto kAll = ByteLog::ReadExtent::kAll;

TEST(ByteLogTest, ReadsFromAnyOffset) {
  ByteLog log;
  log.Append(0, "hello ");
  log.Append(0, "world");
  EXPECT_EQ(log.end(), 11u);
  EXPECT_EQ(log.Read(0, 100, kSameSequence), "hello world");
  EXPECT_EQ(log.Read(4, 3, kSameSequence), "o w");
  EXPECT_EQ(log.Read(11, 100, kSameSequence), "");
  EXPECT_EQ(log.Read(99, 100, kSameSequence), "");
}

TEST(ByteLogTest, ARunEndsWhereTheNextBegins) {
  ByteLog log;
  log.Append(0, "ab");
  log.Append(2, "cd");
  EXPECT_EQ(log.Read(1, 100, kSameSequence), "b");
  EXPECT_EQ(log.Read(1, 100, kAll), "bcd");
  EXPECT_EQ(log.SequenceAt(1), 0u);
  EXPECT_EQ(log.SequenceAt(2), 2u);
}

TEST(ByteLogTest, KeepsTheNewestFourMebibytes) {
  ByteLog log;
  std::string piece(100'000, 'x');
  for (int i = 0; i < 100; ++i) log.Append(0, piece);
  EXPECT_EQ(log.end(), 10'000'000u);
  EXPECT_GE(log.end() - log.begin(), ByteLog::kWindowBytes);
  EXPECT_LT(log.end() - log.begin(), ByteLog::kWindowBytes + 1024 * 1024);
  EXPECT_EQ(log.Read(log.begin(), 3, kAll), "xxx");
}

TEST(ByteLogTest, TinyRunsDoNotTakeEndlessMemory) {
  ByteLog log;
  for (std::uint64_t i = 0; i < 200'000; ++i) log.Append(2 * i, "x");
  EXPECT_LT(log.end() - log.begin(), 100'000u);
  EXPECT_EQ(log.SequenceAt(log.end() - 1), 2 * 199'999u);
}

}  // namespace
}  // namespace viv::agent
