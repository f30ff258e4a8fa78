#include "dialects/recoup/run_record.h"

#include <gtest/gtest.h>

namespace viv::recoup {
namespace {

TEST(RunRecordTest, IsReadAsItWasWritten) {
  TaskRun run;
  run.id = NewRunId();
  run.account_id = "a";
  run.account_uuid = "uuid";
  run.task = kCommandTask;
  run.status = "EXECUTING";
  run.created_at_us = 1'700'000'000'000'001;
  run.updated_at_us = 1'700'000'000'000'002;
  run.started_at_us = 1'700'000'000'000'003;
  run.payload = json::object{{"command", "ls"}};
  run.error = "why";
  run.box_id = "ibox";
  run.command = "ls";
  run.cwd = "/";
  run.stdout_saved.Add(4, std::string("\xff\0z", 3));
  auto again = ReadRun(WriteRun(run));
  ASSERT_TRUE(again);
  EXPECT_EQ(WriteRun(*again).body, WriteRun(run).body);
  EXPECT_EQ(again->started_at_us, run.started_at_us);
  EXPECT_FALSE(again->finished_at_us);
  EXPECT_EQ(again->stdout_saved.bytes, run.stdout_saved.bytes);
  EXPECT_EQ(again->stdout_saved.end, 7);
  EXPECT_FALSE(again->is_finished());
}

TEST(RunRecordTest, AnUnreadableRecordIsAnError) {
  for (const json::value& body :
       {json::value(nullptr), json::value(json::object()), json::value("text"),
        json::value(json::object{{"task", "t"}, {"status", "QUEUED"}, {"created_at", "today"}})}) {
    accounts::DocumentTable::Entry entry{"run_1", "a", body};
    EXPECT_FALSE(ReadRun(entry));
  }
}

TEST(RunRecordTest, TimesAreNullUntilTheyCome) {
  TaskRun run;
  run.id = "run_1";
  run.updated_at_us = 3'000'000;
  json::object shown = ShowRun(run, RunDetail::kWhole);
  EXPECT_TRUE(shown.at("startedAt").is_null());
  EXPECT_TRUE(shown.at("finishedAt").is_null());
  EXPECT_EQ(shown.at("durationMs").as_int64(), 0);
  EXPECT_TRUE(shown.at("attempts").as_array().empty());
  run.started_at_us = 1'000'000;
  run.finished_at_us = 2'500'000;
  EXPECT_EQ(ShowRun(run, RunDetail::kListed).at("durationMs").as_int64(), 1500);
}

}  // namespace
}  // namespace viv::recoup
