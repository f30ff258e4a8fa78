#include "agent/dataplane/command_table.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace viv::agent {
namespace {

class CommandTableTest : public ::testing::Test {
 protected:
  // A command without a process; it ends when it is told so.
  std::shared_ptr<Command> Add(std::string id, std::optional<Command::Duration> ttl) {
    Command::Info info;
    info.id = std::move(id);
    info.ttl = ttl;
    auto command = std::make_shared<Command>(io_.get_executor(), info, Channels{}, logs_);
    table_.Add(command);
    return command;
  }
  void AddEnded(std::string id, std::optional<Command::Duration> ttl = std::chrono::hours(1)) {
    Add(std::move(id), ttl)->OnExit(0);
  }

  asio::io_context io_;
  LogRing logs_;
  CommandTable table_;
};

TEST_F(CommandTableTest, CountsWhatRuns) {
  auto command = Add("a", std::nullopt);
  AddEnded("b");
  EXPECT_EQ(table_.running(), 1u);
  command->OnExit(0);
  EXPECT_EQ(table_.running(), 0u);
  EXPECT_EQ(table_.Find("a"), command);
}

TEST_F(CommandTableTest, ForgetsWhatHasLastedAndRemembersItsId) {
  AddEnded("brief", std::chrono::milliseconds(0));
  AddEnded("for ever", std::nullopt);
  EXPECT_EQ(table_.Find("brief"), nullptr);
  EXPECT_TRUE(table_.is_expired("brief"));
  EXPECT_NE(table_.Find("for ever"), nullptr);
  EXPECT_FALSE(table_.is_expired("never was"));
}

TEST_F(CommandTableTest, TooManyPushOutTheOldestEvenThoseForEver) {
  AddEnded("first", std::nullopt);
  auto running = Add("running", std::nullopt);
  for (std::size_t i = 0; i < CommandTable::kFinishedMax; ++i) AddEnded(std::to_string(i));
  EXPECT_EQ(table_.Find("first"), nullptr);
  EXPECT_TRUE(table_.is_expired("first"));
  EXPECT_NE(table_.Find("0"), nullptr);
  EXPECT_EQ(table_.Find("running"), running);
  running->OnExit(0);
}

TEST_F(CommandTableTest, RemembersSoManyIdsAndNoMore) {
  for (std::size_t i = 0; i <= CommandTable::kExpiredMax; ++i) {
    AddEnded(std::to_string(i), std::chrono::milliseconds(0));
    table_.ForgetOld();
  }
  EXPECT_FALSE(table_.is_expired("0"));
  EXPECT_TRUE(table_.is_expired("1"));
}

}  // namespace
}  // namespace viv::agent
