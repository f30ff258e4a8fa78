#include "dialects/klavis/local_execution.h"

#include <gtest/gtest.h>

namespace viv::klavis {
namespace {

TEST(LocalExecutionTest, TakesOnlyNamesThatAreFolders) {
  for (const char* good : {"a", "run-1", "A.b_c", "0"}) EXPECT_TRUE(IsExecutionName(good)) << good;
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string(".state"),
        std::string("a/b"), std::string("a b"), std::string("$(x)"), std::string("-rf"),
        std::string("a\nb"), std::string("a\0b", 3), std::string(65, 'a')})
    EXPECT_FALSE(IsExecutionName(bad)) << bad;
}

TEST(LocalExecutionTest, ReadsStatusAndOutput) {
  auto progress = ReadProgress("running\nline\n", 10);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->status, "running");
  EXPECT_EQ(progress->logs, "line\n");
  EXPECT_EQ(progress->cursor, 15);
  EXPECT_EQ(ReadProgress("pending\n", 0)->logs, "");
}

TEST(LocalExecutionTest, WaitsForTheRestOfACharacter) {
  auto cut = ReadProgress("running\nab\xe2\x82", 0);
  EXPECT_EQ(cut->logs, "ab");
  EXPECT_EQ(cut->cursor, 2);
  EXPECT_EQ(ReadProgress("running\n\xe2\x82\xac", 2)->logs, "\xe2\x82\xac");
  // Nothing more comes: it is told as it is.
  EXPECT_EQ(ReadProgress("failed\nab\xe2\x82", 0)->cursor, 4);
  EXPECT_EQ(ReadProgress("running\n\xff\xff", 0)->cursor, 2);
  EXPECT_EQ(ReadProgress("running\n\xe2", 0)->cursor, 1);  // or it would wait for ever
}

TEST(LocalExecutionTest, BelievesNoOtherWords) {
  for (const char* printed : {"", "running", "done\n", "completed x\n"})
    EXPECT_FALSE(ReadProgress(printed, 0)) << printed;
}

TEST(LocalExecutionTest, KeepsTheNewestNames) {
  json::object dialect_data;
  for (int i = 0; i < 250; ++i) AddExecution(dialect_data, "n" + std::to_string(i));
  AddExecution(dialect_data, "n249");
  EXPECT_EQ(dialect_data["executions"].as_array().size(), 200U);
  EXPECT_TRUE(HasExecution(dialect_data, "n249"));
  EXPECT_FALSE(HasExecution(dialect_data, "n0"));
  EXPECT_FALSE(HasExecution(json::object(), "n0"));
}

}  // namespace
}  // namespace viv::klavis
