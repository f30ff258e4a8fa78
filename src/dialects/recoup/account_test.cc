// PATCH and DELETE /api/sandboxes and the setup: the account's one row.

#include "dialects/recoup/account_row.h"
#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

using RecoupAccountTest = RecoupTest;

TEST_F(RecoupAccountTest, WithoutAnythingToSetItShowsTheRowOrNull) {
  EXPECT_EQ(Call("PATCH", "/api/sandboxes", "{}").text, "null");
  EXPECT_EQ(Call("PATCH", "/api/sandboxes", "no json").text, "null");
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_1"})");
  ParsedResponse response = Call("PATCH", "/api/sandboxes", "");
  EXPECT_EQ(FindString(response.body, "snapshot_id"), "snap_1");
}

TEST_F(RecoupAccountTest, ASnapshotIsKeptForAWeek) {
  ParsedResponse response = Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_abc"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.text, std::string(R"({"account_id":")") + kMine +
                               R"(","snapshot_id":"snap_abc",)"
                               R"("expires_at":"2026-09-28T14:13:20.123Z","github_repo":null,)"
                               R"("created_at":"2026-09-21T14:13:20.123Z"})");
  EXPECT_EQ(FindString(Call("GET", "/api/sandboxes").body, "snapshot_id"), "snap_abc");
}

TEST_F(RecoupAccountTest, OneFieldDoesNotTouchTheOther) {
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_abc"})");
  ParsedResponse response =
      Call("PATCH", "/api/sandboxes", R"({"github_repo":"https://github.com/a/b"})");
  EXPECT_EQ(FindString(response.body, "snapshot_id"), "snap_abc");
  EXPECT_EQ(FindString(response.body, "github_repo"), "https://github.com/a/b");
  ParsedResponse list = Call("GET", "/api/sandboxes");
  EXPECT_EQ(FindString(list.body, "github_repo"), "https://github.com/a/b");
  EXPECT_TRUE(list.body.at("filetree").is_null()) << "it is kept elsewhere";
}

TEST_F(RecoupAccountTest, RefusesWhatIsNoUrlAndAnEmptySnapshot) {
  for (const char* url : {"", "github.com/a/b", "git@github.com:a/b.git", "https://", "http:///x",
                          "https://a b", "://x", "1http://x"}) {
    ParsedResponse response =
        Call("PATCH", "/api/sandboxes", WriteJson(json::object{{"github_repo", url}}));
    EXPECT_EQ(response.status, 400) << url;
    EXPECT_EQ(response.body.at("missing_fields"), json::array({"github_repo"}));
  }
  EXPECT_EQ(Call("PATCH", "/api/sandboxes", R"({"snapshotId":""})").status, 400);
  EXPECT_EQ(Call("PATCH", "/api/sandboxes", R"({"snapshotId":7})").status, 400);
  EXPECT_EQ(
      Call("PATCH", "/api/sandboxes", R"({"snapshotId":")" + std::string(300, 's') + "\"}").status,
      400);
  EXPECT_TRUE(rows_->All().empty());
}

TEST_F(RecoupAccountTest, ARowOutlivesTheServer) {
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_abc","github_repo":"https://h/r"})");
  std::unique_ptr<accounts::DocumentTable> again = LoadTable("recoup.account");
  Context later{.boxes = boxes_,
                .accounts = accounts_,
                .repositories = repositories_,
                .account_rows = *again,
                .runs = *runs_,
                .sessions = *sessions_};
  auto row = FindAccountRow(later, kMine);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->snapshot_id, "snap_abc");
  EXPECT_EQ(row->github_repo, "https://h/r");
  EXPECT_EQ(row->created_at_us / 1000, boxes_.now_us / 1000);
  EXPECT_EQ(*row->expires_at_us - row->created_at_us, 7LL * 24 * 3600 * 1'000'000);
}

TEST_F(RecoupAccountTest, BoxesStartFromTheSnapshotUntilItExpires) {
  boxes::TemplateInfo snapshot = boxes_.templates.front();
  snapshot.id = "snapshotsnapshotsnap";
  snapshot.names.clear();
  boxes_.templates.push_back(snapshot);
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_snapshotsnapshotsnap"})");
  Call("POST", "/api/sandboxes", "{}");
  EXPECT_EQ(boxes_.boxes.begin()->second->spec.template_id, snapshot.id);
  boxes_.boxes.clear();
  boxes_.now_us += 7LL * 24 * 3600 * 1'000'000;
  EXPECT_EQ(Call("POST", "/api/sandboxes", "{}").status, 200);
  EXPECT_EQ(boxes_.boxes.begin()->second->spec.template_id, boxes_.templates.front().id);
}

TEST_F(RecoupAccountTest, AnUnknownSnapshotFallsBackSilently) {
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_gone"})");
  EXPECT_EQ(Call("POST", "/api/sandboxes", "{}").status, 200);
  EXPECT_EQ(boxes_.boxes.begin()->second->spec.template_name, "base");
}

TEST_F(RecoupAccountTest, DeleteRemovesRowAndRepositoryButNoBox) {
  ASSERT_TRUE(RunTask(repositories_.Make(kMine)));
  Call("PATCH", "/api/sandboxes", R"({"snapshotId":"snap_abc"})");
  std::string id = Put();
  ParsedResponse response = Call("DELETE", "/api/sandboxes");
  ASSERT_EQ(response.status, 200);
  const json::value& row = response.body.at("deleted_snapshot");
  EXPECT_EQ(FindString(row, "snapshot_id"), "snap_abc");
  EXPECT_EQ(FindString(row, "github_repo"), std::string("http://viv.test/git/") + kMine + ".git");
  EXPECT_FALSE(repositories_.Has(kMine));
  EXPECT_TRUE(rows_->All().empty());
  EXPECT_TRUE(boxes_.boxes.contains(id));
  EXPECT_EQ(Call("DELETE", "/api/sandboxes").text,
            R"({"status":"success","deleted_snapshot":null})");
}

TEST_F(RecoupAccountTest, DeleteWithoutARowStillRemovesTheRepository) {
  ASSERT_TRUE(RunTask(repositories_.Make(kMine)));
  EXPECT_EQ(Call("DELETE", "/api/sandboxes", "{}").text,
            R"({"status":"success","deleted_snapshot":null})");
  EXPECT_FALSE(repositories_.Has(kMine));
}

TEST_F(RecoupAccountTest, SetupMakesRepositorySnapshotAndRowAndLeavesNoBox) {
  ParsedResponse response = Call("POST", "/api/sandboxes/setup");
  ASSERT_EQ(response.status, 200);
  std::string run_id(FindString(response.body, "runId"));
  EXPECT_TRUE(run_id.starts_with("run_")) << run_id;
  EXPECT_EQ(FindString(response.body, "status"), "success");
  ParsedResponse queued = Call("GET", "/api/tasks/runs?runId=" + run_id);
  EXPECT_EQ(FindString(queued.body.at("runs").at(0), "status"), "QUEUED");

  ExecuteQueuedRuns();
  ParsedResponse done = Call("GET", "/api/tasks/runs?runId=" + run_id);
  const json::value& run = done.body.at("runs").at(0);
  EXPECT_EQ(FindString(run, "status"), "COMPLETED") << done.text;
  EXPECT_EQ(FindString(run, "taskIdentifier"), "setup-sandbox");
  EXPECT_TRUE(repositories_.Has(kMine));
  EXPECT_TRUE(boxes_.boxes.empty());
  ParsedResponse list = Call("GET", "/api/sandboxes");
  EXPECT_EQ(FindString(list.body, "snapshot_id"), "snap_" + boxes_.templates.back().id);
  EXPECT_EQ(FindString(list.body, "snapshot_id"), FindString(run.at("output"), "snapshotId"));
  EXPECT_EQ(FindString(list.body, "github_repo"),
            std::string("http://viv.test/git/") + kMine + ".git");
  EXPECT_EQ(list.body.at("filetree"), json::array());
}

TEST_F(RecoupAccountTest, ASecondSetupTakesThePlaceOfTheFirst) {
  Call("POST", "/api/sandboxes/setup");
  ExecuteQueuedRuns();
  ASSERT_EQ(boxes_.templates.size(), 2U);
  std::string first = boxes_.templates.back().id;
  Call("POST", "/api/sandboxes/setup", "{}");
  ExecuteQueuedRuns();
  ASSERT_EQ(boxes_.templates.size(), 2U) << "the first snapshot is of no more use";
  EXPECT_TRUE(boxes_.templates.back().is_snapshot);
  Call("DELETE", "/api/sandboxes");
  EXPECT_EQ(boxes_.templates.size(), 1U);
}

TEST_F(RecoupAccountTest, ASnapshotOfTheUsersOwnIsNeverRemoved) {
  std::string id = Put();
  auto taken = RunTask(boxes_.Snapshot(kMine, id, "mine"));
  ASSERT_TRUE(taken);
  Call("PATCH", "/api/sandboxes", WriteJson(json::object{{"snapshotId", taken->id}}));
  Call("POST", "/api/sandboxes/setup");
  ExecuteQueuedRuns();
  Call("PATCH", "/api/sandboxes", WriteJson(json::object{{"snapshotId", taken->id}}));
  Call("DELETE", "/api/sandboxes");
  auto is_it = [&](const auto& info) { return info.id == taken->id; };
  EXPECT_TRUE(std::any_of(boxes_.templates.begin(), boxes_.templates.end(), is_it));
}

TEST_F(RecoupAccountTest, AFailedSetupSaysWhyAndLeavesNothing) {
  std::string run_id(FindString(Call("POST", "/api/sandboxes/setup").body, "runId"));
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "no more boxes fit"};
  ExecuteQueuedRuns();
  ParsedResponse done = Call("GET", "/api/tasks/runs?runId=" + run_id);
  const json::value& run = done.body.at("runs").at(0);
  EXPECT_EQ(FindString(run, "status"), "FAILED");
  EXPECT_EQ(FindString(run.at("error"), "message"), "create a sandbox: no more boxes fit");
  EXPECT_TRUE(boxes_.boxes.empty());
  EXPECT_TRUE(Call("GET", "/api/sandboxes").body.at("snapshot_id").is_null());
}

TEST_F(RecoupAccountTest, ASetupThatWasCutOffGoesOnWithWhatItHadMade) {
  std::string run_id(FindString(Call("POST", "/api/sandboxes/setup").body, "runId"));
  boxes::Box half;
  half.spec.name = SetupSnapshotName(run_id);
  std::string id = Put(half);
  ASSERT_TRUE(RunTask(boxes_.Snapshot(kMine, id, half.spec.name)));
  ExecuteQueuedRuns();
  EXPECT_EQ(boxes_.templates.size(), 2U) << "no second snapshot";
  EXPECT_TRUE(boxes_.boxes.empty());
  EXPECT_EQ(FindString(Call("GET", "/api/sandboxes").body, "snapshot_id"),
            "snap_" + boxes_.templates.back().id);
}

}  // namespace
}  // namespace viv::recoup
