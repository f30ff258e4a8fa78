// GET and POST /api/sandboxes, who may call, and what every answer carries.

#include "dialects/recoup/shapes.h"
#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

using RecoupSandboxesTest = RecoupTest;

TEST_F(RecoupSandboxesTest, ExactlyOneKeyIsWanted) {
  constexpr char kText[] = "Exactly one of x-api-key or Authorization must be provided";
  ParsedResponse none = Call("GET", "/api/sandboxes", "", {});
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.error(), kText);
  ParsedResponse both =
      Call("GET", "/api/sandboxes", "", {{"x-api-key", "key"}, {"Authorization", "Bearer key"}});
  EXPECT_EQ(both.status, 401);
  EXPECT_EQ(both.error(), kText);
}

TEST_F(RecoupSandboxesTest, ARejectedKeyHasAMessageBesideTheError) {
  for (const HeaderList& headers :
       {HeaderList{{"x-api-key", "wrong"}}, HeaderList{{"Authorization", "Bearer wrong"}},
        HeaderList{{"Authorization", "Basic key"}}, HeaderList{{"Authorization", "key"}},
        HeaderList{{"x-api-key", std::string(5000, 'k')}}}) {
    ParsedResponse response = Call("GET", "/api/sandboxes", "", headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.text,
              R"({"status":"error","error":"Unauthorized","message":"Unauthorized"})");
  }
}

TEST_F(RecoupSandboxesTest, EveryKindOfKeyWorks) {
  for (const HeaderList& headers :
       {HeaderList{{"x-api-key", "key"}}, HeaderList{{"Authorization", "Bearer key"}},
        HeaderList{{"Authorization", "Bearer recoup_sk_key"}}})
    EXPECT_EQ(Call("GET", "/api/sandboxes", "", headers).status, 200);
}

TEST_F(RecoupSandboxesTest, PreflightsNeedNoKey) {
  for (const char* path : {"/api/sandboxes", "/api/sandboxes/setup", "/api/sandboxes/file",
                           "/api/sandboxes/files", "/api/tasks/runs"}) {
    ParsedResponse response = Call("OPTIONS", path, "", {});
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.headers.Get("Access-Control-Allow-Methods"),
              "GET, POST, PUT, DELETE, OPTIONS, PATCH");
    EXPECT_EQ(response.headers.Get("Access-Control-Allow-Headers"),
              "Content-Type, Authorization, X-Requested-With, x-api-key");
  }
  for (const char* path : {"/api/sandbox", "/api/sandbox/status", "/api/sandbox/reconnect"})
    EXPECT_EQ(Call("OPTIONS", path, "", {}).status, 204) << path;
}

TEST_F(RecoupSandboxesTest, AnEmptyAccountHasNulls) {
  EXPECT_EQ(Call("GET", "/api/sandboxes").text,
            R"({"status":"success","sandboxes":[],"snapshot_id":null,"github_repo":null,)"
            R"("filetree":null})");
}

TEST_F(RecoupSandboxesTest, ListsTheNewestFirstWhateverWasResumedSince) {
  boxes::Box old;
  old.created_at_us = boxes_.now_us - 2'000'000;
  old.started_at_us = boxes_.now_us + 1'000'000;
  std::string old_id = Put(old);
  std::string new_id = Put();
  boxes::Box foreign;
  foreign.account_id = kColleague;
  Put(foreign);
  ParsedResponse response = Call("GET", "/api/sandboxes");
  ASSERT_EQ(response.status, 200);
  const json::array& list = response.body.at("sandboxes").as_array();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(FindString(list[0], "sandboxId"), "sbx_" + new_id.substr(1));
  EXPECT_EQ(FindString(list[1], "sandboxId"), "sbx_" + old_id.substr(1));
}

TEST_F(RecoupSandboxesTest, ShowsStatusAndTheTimeThatIsLeft) {
  struct Case {
    boxes::BoxState state;
    std::string_view status;
    std::int64_t timeout;
  };
  for (const Case& it :
       {Case{boxes::BoxState::kStarting, "pending", 300'000},
        Case{boxes::BoxState::kRunning, "running", 300'000},
        Case{boxes::BoxState::kPaused, "stopped", 0}, Case{boxes::BoxState::kStopped, "stopped", 0},
        Case{boxes::BoxState::kFailed, "failed", 0}}) {
    boxes::Box box;
    box.state = it.state;
    std::string id = Put(box);
    ParsedResponse response = Call("GET", "/api/sandboxes?sandbox_id=sbx_" + id.substr(1));
    const json::value& shown = response.body.at("sandboxes").at(0);
    EXPECT_EQ(FindString(shown, "sandboxStatus"), it.status);
    EXPECT_EQ(shown.at("timeout").as_int64(), it.timeout);
    EXPECT_EQ(FindString(shown, "createdAt"), "2026-09-21T14:13:20.123Z");
    EXPECT_FALSE(shown.as_object().contains("runId"));
  }
}

TEST_F(RecoupSandboxesTest, ABoxThatIsOverdueHasNoTimeLeft) {
  boxes::Box box;
  box.ends_at_us = boxes_.now_us - 1;
  EXPECT_EQ(RemainingMs(*boxes_.boxes.at(Put(box)), boxes_.now_us / 1000), 0);
}

TEST_F(RecoupSandboxesTest, FindsOneByItsIdAndNothingByOthers) {
  std::string id = Put();
  auto count = [this](const std::string& key, const std::string& sandbox_id) {
    ParsedResponse response = As(key, "GET", "/api/sandboxes?sandbox_id=" + sandbox_id);
    EXPECT_EQ(response.status, 200);
    return response.body.at("sandboxes").as_array().size();
  };
  const std::string shown = "sbx_" + id.substr(1);
  EXPECT_EQ(count("key", shown), 1U);
  EXPECT_EQ(count("key", id), 1U) << "the domain's own spelling";
  EXPECT_EQ(count("colleague", shown), 1U) << "an account of the same organization";
  EXPECT_EQ(count("stranger", shown), 0U);
  for (const char* bad : {"sbx_", "sbx_00000000000000000099", "nothing", "%00", "sbx_..%2f..", ""})
    EXPECT_EQ(count("key", bad), 0U) << bad;
}

TEST_F(RecoupSandboxesTest, AnotherAccountIsNamedByItsUuid) {
  boxes::Box theirs;
  theirs.account_id = kColleague;
  std::string id = Put(theirs);
  ParsedResponse response = Call("GET", std::string("/api/sandboxes?account_id=") + kColleague);
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(response.body.at("sandboxes").as_array().size(), 1U);
  ParsedResponse mine = Call(
      "GET", std::string("/api/sandboxes?account_id=") + kMine + "&sandbox_id=sbx_" + id.substr(1));
  EXPECT_TRUE(mine.body.at("sandboxes").as_array().empty()) << "it is asked for in one account";
}

TEST_F(RecoupSandboxesTest, RefusesWhatIsNoUuidAndAccountsOfOthers) {
  for (const char* bad : {"mine", "", "11111111111141118111111111111111"}) {
    ParsedResponse response = Call("GET", std::string("/api/sandboxes?account_id=") + bad);
    EXPECT_EQ(response.status, 400) << bad;
    EXPECT_EQ(response.body.at("missing_fields"), json::array({"account_id"}));
  }
  for (const char* id : {kStranger, "44444444-4444-4444-8444-444444444444"}) {
    ParsedResponse response = Call("GET", std::string("/api/sandboxes?account_id=") + id);
    EXPECT_EQ(response.status, 403);
    EXPECT_EQ(response.error(), "Access denied to specified account_id");
    std::string body = WriteJson(json::object{{"account_id", id}});
    for (const char* method : {"POST", "PATCH", "DELETE"})
      EXPECT_EQ(Call(method, "/api/sandboxes", body).status, 403) << method;
    EXPECT_EQ(Call("POST", "/api/sandboxes/setup", body).status, 403);
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSandboxesTest, CreatesABoxOfHalfAnHour) {
  ParsedResponse response = Call("POST", "/api/sandboxes", "{}");
  ASSERT_EQ(response.status, 200);
  ASSERT_EQ(response.body.at("sandboxes").as_array().size(), 1U);
  const json::value& shown = response.body.at("sandboxes").at(0);
  EXPECT_EQ(FindString(shown, "sandboxStatus"), "running");
  EXPECT_EQ(shown.at("timeout").as_int64(), 1'800'000);
  EXPECT_FALSE(shown.as_object().contains("runId"));
  auto box = boxes_.Find(*BoxIdOf(FindString(shown, "sandboxId")));
  ASSERT_TRUE(box);
  EXPECT_EQ((*box)->account_id, kMine);
  EXPECT_EQ((*box)->spec.on_timeout, boxes::OnTimeout::kStop);
  EXPECT_TRUE((*box)->spec.survives_exit);
  EXPECT_FALSE((*box)->spec.network.public_traffic);
  EXPECT_EQ((*box)->spec.keep_stopped_seconds, 86'400);
  EXPECT_TRUE(runs_->All().empty());
}

TEST_F(RecoupSandboxesTest, WhatIsNoJsonCountsAsEmpty) {
  for (const char* body : {"", "{", "no json", "{\"command\": }"})
    EXPECT_EQ(Call("POST", "/api/sandboxes", body).status, 200) << body;
  ParsedResponse list = Call("POST", "/api/sandboxes", "[]");
  EXPECT_EQ(list.status, 400);
  EXPECT_EQ(list.body.at("missing_fields"), json::array());
}

TEST_F(RecoupSandboxesTest, CreatesForAColleague) {
  ParsedResponse response =
      Call("POST", "/api/sandboxes",
           WriteJson(json::object{{"account_id", kColleague}, {"command", "ls"}}));
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(boxes_.boxes.begin()->second->account_id, kColleague);
  EXPECT_EQ(runs_->List(kColleague).size(), 1U);
}

TEST_F(RecoupSandboxesTest, RefusesACommandAndAPromptTogether) {
  ParsedResponse response = Call("POST", "/api/sandboxes", R"({"command":"ls","prompt":"hello"})");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.error(), "Cannot specify both command and prompt");
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSandboxesTest, NamesTheFirstFieldThatIsWrong) {
  struct Case {
    std::string body;
    const char* field;
  };
  const std::string long_command(100'001, 'x');
  for (const Case& it :
       {Case{R"({"command":""})", "command"}, Case{R"({"command":1})", "command"},
        Case{R"({"prompt":""})", "prompt"}, Case{R"({"command":"ls","args":"x"})", "args"},
        Case{R"({"command":"ls","args":[1]})", "args"}, Case{R"({"command":"ls","cwd":5})", "cwd"},
        Case{R"({"account_id":5})", "account_id"}, Case{R"({"command":"a\u0000b"})", "command"},
        Case{R"({"prompt":")" + long_command + "\"}", "prompt"}}) {
    ParsedResponse response = Call("POST", "/api/sandboxes", it.body);
    EXPECT_EQ(response.status, 400) << it.field;
    EXPECT_EQ(response.body.at("missing_fields"), json::array({it.field}));
    EXPECT_FALSE(response.error().empty());
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSandboxesTest, AFailedCreationIs400) {
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "no more boxes fit"};
  ParsedResponse response = Call("POST", "/api/sandboxes", "{}");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.error(), "Failed to create sandbox: no more boxes fit");
}

TEST_F(RecoupSandboxesTest, ARunThatCannotBeKeptLeavesNoBox) {
  store_.is_broken = true;
  EXPECT_EQ(Call("POST", "/api/sandboxes", R"({"command":"ls"})").status, 503);
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSandboxesTest, ThingsOfOtherProductsAreExplained) {
  ParsedResponse response = Call("POST", "/api/sandboxes/staged-file", "{}");
  EXPECT_EQ(response.status, 501);
  EXPECT_THAT(response.error(), ::testing::HasSubstr("/api/sandboxes/files"));
  EXPECT_EQ(Call("GET", "/api/admins/sandboxes").status, 501);
  EXPECT_EQ(Call("GET", "/api/admins/sandboxes", "", {}).status, 401);
}

}  // namespace
}  // namespace viv::recoup
