// Command runs, from POST /api/sandboxes to GET /api/tasks/runs.

#include "dialects/recoup/runs.h"

#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

class RecoupRunsTest : public RecoupTest {
 protected:
  std::string Start(std::string body) {
    ParsedResponse response = Call("POST", "/api/sandboxes", std::move(body));
    EXPECT_EQ(response.status, 200) << response.text;
    return std::string(FindString(response.body.at("sandboxes").at(0), "runId"));
  }
  json::value RunOf(const std::string& id) {
    ParsedResponse response = Call("GET", "/api/tasks/runs?runId=" + id);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.body.at("runs").at(0);
  }
};

Task<Status> PutAll(accounts::DocumentTable& table, std::vector<TaskRun> runs) {
  for (const TaskRun& run : runs) CO_RETURN_IF_ERROR(co_await table.Put(WriteRun(run)));
  co_return Status();
}

TEST_F(RecoupRunsTest, ACommandRunsToItsEnd) {
  std::string id = Start(R"({"command":"make","args":["-j 2","it's"],"cwd":"/src"})");
  EXPECT_TRUE(id.starts_with("run_"));
  EXPECT_EQ(id.size(), 24U);
  EXPECT_EQ(FindString(RunOf(id), "status"), "QUEUED");
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 0, "built\n") + Event("exit", {{"exit_code", 2}}))};
  ExecuteQueuedRuns();
  json::value run = RunOf(id);
  EXPECT_EQ(FindString(run, "status"), "COMPLETED");
  EXPECT_EQ(FindString(run, "taskIdentifier"), "run-sandbox-command");
  EXPECT_EQ(run.at("output"),
            (json::object{{"stdout", "built\n"}, {"stderr", ""}, {"exitCode", 2}}));
  EXPECT_TRUE(run.at("error").is_null());
  EXPECT_EQ(run.at("tags"), json::array({std::string("account:") + kMine}));
  EXPECT_EQ(FindString(run.at("payload"), "command"), "make");
  EXPECT_EQ(run.at("attempts").as_array().size(), 1U);
  EXPECT_FALSE(run.at("startedAt").is_null());
  EXPECT_FALSE(run.at("finishedAt").is_null());
  json::value asked = boxes_.Asked().at(0);
  EXPECT_EQ(FindString(asked, "command"), "'make' '-j 2' 'it'\\''s'");
  EXPECT_EQ(FindString(asked, "cwd"), "/src");
  EXPECT_EQ(FindString(asked, "command_id"), id);
}

TEST_F(RecoupRunsTest, ACommandAloneIsALineForTheShell) {
  Start(R"({"command":"echo a && echo b"})");
  boxes_.answers = {EventStreamResponse(Event("exit", {{"exit_code", 0}}))};
  ExecuteQueuedRuns();
  EXPECT_EQ(FindString(boxes_.Asked().at(0), "command"), "echo a && echo b");
}

TEST_F(RecoupRunsTest, APromptGoesToTheAgentInTheBox) {
  Start(R"({"prompt":"say \"hi\""})");
  boxes_.answers = {EventStreamResponse(Event("exit", {{"exit_code", 0}}))};
  ExecuteQueuedRuns();
  EXPECT_EQ(FindString(boxes_.Asked().at(0), "command"), "opencode run 'say \"hi\"'");
}

TEST_F(RecoupRunsTest, TheListShowsWhichRunABoxWasMadeFor) {
  std::string id = Start(R"({"command":"ls"})");
  ParsedResponse list = Call("GET", "/api/sandboxes");
  EXPECT_EQ(FindString(list.body.at("sandboxes").at(0), "runId"), id);
}

TEST_F(RecoupRunsTest, ARefusedCommandHasFailed) {
  std::string id = Start(R"({"command":"ls","cwd":"/nowhere"})");
  boxes_.answers = {ErrorResponse(400, "no folder /nowhere")};
  ExecuteQueuedRuns();
  json::value run = RunOf(id);
  EXPECT_EQ(FindString(run, "status"), "FAILED");
  EXPECT_EQ(FindString(run.at("error"), "message"), "no folder /nowhere");
}

TEST_F(RecoupRunsTest, ACommandWhoseBoxWentHasCrashed) {
  std::string id = Start(R"({"command":"ls"})");
  boxes_.boxes.clear();
  ExecuteQueuedRuns();
  json::value run = RunOf(id);
  EXPECT_EQ(FindString(run, "status"), "CRASHED");
  EXPECT_EQ(FindString(run.at("error"), "message"),
            "the sandbox was removed before the command ended");
  EXPECT_TRUE(run.at("output").at("exitCode").is_null());
}

TEST_F(RecoupRunsTest, TheNextServerGoesOnWithTheOutputThatWasKept) {
  std::string id = Start(R"({"command":"make"})");
  // The first server keeps a piece and then ends in the middle of the next answer.
  TaskRun run = *ReadRun(*runs_->Find(id));
  run.status = "EXECUTING";
  run.started_at_us = boxes_.now_us;
  run.stdout_saved.Add(0, "first ");
  ASSERT_TRUE(RunTask(runs_->Put(WriteRun(run))));
  context_.run_queue.Take();
  runs_ = nullptr;
  std::unique_ptr<accounts::DocumentTable> again = LoadTable("recoup.run");
  Context later{.boxes = boxes_,
                .accounts = accounts_,
                .repositories = repositories_,
                .account_rows = *rows_,
                .runs = *again,
                .sessions = *sessions_};
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 6, "second") + Event("exit", {{"exit_code", 0}}))};
  RunBackgroundUntil(later, [&] { return ReadRun(*again->Find(id))->is_finished(); });
  TaskRun ended = *ReadRun(*again->Find(id));
  EXPECT_EQ(ended.status, "COMPLETED");
  EXPECT_EQ(FindString(ended.output, "stdout"), "first second");
  EXPECT_EQ(boxes_.Asked().at(0).at("stdout_offset").as_int64(), 6);
}

TEST_F(RecoupRunsTest, ARunThatIsCutOffStaysOnRecordAsItIs) {
  std::string id = Start(R"({"command":"sleep"})");
  RunBackgroundUntil(context_, [this] { return !boxes_.dialled.empty(); });
  EXPECT_EQ(FindString(RunOf(id), "status"), "EXECUTING");
}

TEST_F(RecoupRunsTest, ANewRunReachesTheFollowerThatWaits) {
  boxes_.answers = {EventStreamResponse(Event("exit", {{"exit_code", 0}}))};
  std::string id;
  int rounds = 0;
  RunBackgroundUntil(context_, [&] {
    // Not before the follower waits, which the first round begins.
    if (++rounds == 2) id = Start(R"({"command":"ls"})");
    return !id.empty() && FindString(runs_->Find(id)->body, "status") == "COMPLETED";
  });
  EXPECT_EQ(FindString(RunOf(id), "status"), "COMPLETED");
}

TEST_F(RecoupRunsTest, ListsTheNewestWithoutTheirDetails) {
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(Start(R"({"command":"ls"})"));
    boxes_.now_us += 1'000'000;
  }
  ParsedResponse response = Call("GET", "/api/tasks/runs?limit=2");
  const json::array& runs = response.body.at("runs").as_array();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(FindString(runs[0], "id"), ids[2]);
  EXPECT_EQ(FindString(runs[1], "id"), ids[1]);
  for (const char* detail : {"payload", "output", "error", "attempts"})
    EXPECT_FALSE(runs[0].as_object().contains(detail)) << detail;
  EXPECT_EQ(Call("GET", "/api/tasks/runs").body.at("runs").as_array().size(), 3U);
}

TEST_F(RecoupRunsTest, RefusesBadLimitsAndIds) {
  for (const char* limit : {"0", "101", "-1", "x", "", "1.5", "99999999999999999999"}) {
    ParsedResponse response = Call("GET", std::string("/api/tasks/runs?limit=") + limit);
    EXPECT_EQ(response.status, 400) << limit;
  }
  EXPECT_EQ(Call("GET", "/api/tasks/runs?runId=").status, 400);
  EXPECT_EQ(Call("GET", "/api/tasks/runs?account_id=x").status, 400);
  ParsedResponse unknown = Call("GET", "/api/tasks/runs?runId=run_nobody");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.error(), "Task run not found");
}

TEST_F(RecoupRunsTest, ARunIsForTheOrganizationAndNobodyElse) {
  std::string id = Start(R"({"command":"ls"})");
  EXPECT_EQ(As("colleague", "GET", "/api/tasks/runs?runId=" + id).status, 200);
  EXPECT_EQ(As("stranger", "GET", "/api/tasks/runs?runId=" + id).status, 404);
  EXPECT_TRUE(As("colleague", "GET", "/api/tasks/runs").body.at("runs").as_array().empty());
  EXPECT_EQ(As("stranger", "GET", std::string("/api/tasks/runs?account_id=") + kMine).status, 403);
}

TEST_F(RecoupRunsTest, OldRunsMakeRoomAndUnfinishedOnesDoNot) {
  std::vector<TaskRun> made;
  for (int i = 0; i < 1000; ++i) {
    made.push_back(NewRun(context_, kMine, kCommandTask));
    made.back().created_at_us = 1'000'000LL * (i + 1);
    made.back().status = i == 0 ? "EXECUTING" : "COMPLETED";
  }
  ASSERT_TRUE(RunTask(PutAll(*runs_, made)));
  ASSERT_TRUE(RunTask(StartRun(context_, NewRun(context_, kMine, kCommandTask))));
  EXPECT_EQ(runs_->List(kMine).size(), 1000U);
  EXPECT_NE(runs_->Find(made[0].id), nullptr);
  EXPECT_EQ(runs_->Find(made[1].id), nullptr);
  for (TaskRun& run : made) run.status = "EXECUTING";
  ASSERT_TRUE(RunTask(PutAll(*runs_, made)));
  Status refused = RunTask(StartRun(context_, NewRun(context_, kMine, kCommandTask)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
}

TEST_F(RecoupRunsTest, OutputInAllIsLimitedToo) {
  std::vector<TaskRun> made;
  for (int i = 0; i < 70; ++i) {
    made.push_back(NewRun(context_, kMine, kCommandTask));
    made.back().created_at_us = 1'000'000LL * (i + 1);
    made.back().status = "COMPLETED";
    made.back().output = json::object{{"stdout", std::string(1 << 20, 'x')}, {"stderr", ""}};
  }
  ASSERT_TRUE(RunTask(PutAll(*runs_, made)));
  std::string id = Start(R"({"command":"ls"})");
  EXPECT_EQ(runs_->List(kMine).size(), 65U);
  EXPECT_EQ(runs_->Find(made[5].id), nullptr) << "the oldest went";
  EXPECT_NE(runs_->Find(made[6].id), nullptr);
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 0, "x") + Event("exit", {{"exit_code", 0}}))};
  ExecuteQueuedRuns();
  EXPECT_EQ(runs_->Find(made[6].id), nullptr) << "the new one's output needs room";
  EXPECT_EQ(FindString(RunOf(id), "status"), "COMPLETED");
}

}  // namespace
}  // namespace viv::recoup
