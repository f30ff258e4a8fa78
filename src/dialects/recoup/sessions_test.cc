#include "dialects/recoup/sessions.h"

#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

class RecoupSessionsTest : public RecoupTest {
 protected:
  static std::string Cloned(std::string_view branch) {
    return EventStreamResponse(OutputEvent("stdout", 0, std::string(branch) + "\n") +
                               Event("exit", {{"exit_code", 0}}));
  }
  ParsedResponse Open(std::string session, std::string key = "key") {
    return As(std::move(key), "POST", "/api/sandbox",
              WriteJson(json::object{{"repoUrl", "https://github.com/a/b"},
                                     {"sessionId", std::move(session)}}));
  }
};

TEST_F(RecoupSessionsTest, OpensABoxWithAWorkingCopy) {
  boxes_.answers = {Cloned("trunk")};
  ParsedResponse response = Open("s1");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.body.at("createdAt").as_int64(), boxes_.now_us / 1000);
  EXPECT_EQ(response.body.at("timeout").as_int64(), 1'800'000);
  EXPECT_EQ(FindString(response.body, "currentBranch"), "trunk");
  EXPECT_EQ(FindString(response.body, "mode"), "vercel");
  EXPECT_TRUE(response.body.at("timing").at("readyMs").is_int64());
  auto box = boxes_.GetByName(kMine, "session-s1");
  ASSERT_TRUE(box);
  EXPECT_EQ((*box)->spec.idle_seconds, 300);
  EXPECT_THAT(std::string(FindString(boxes_.Asked().at(0), "command")),
              ::testing::HasSubstr("git clone -q -- 'https://github.com/a/b' repo"));
}

TEST_F(RecoupSessionsTest, OpeningAgainResumesTheSameBox) {
  boxes_.answers = {Cloned("trunk")};
  Open("s1");
  std::string id = boxes_.boxes.begin()->first;
  boxes_.Edit(id, [](boxes::Box& box) { box.state = boxes::BoxState::kStopped; });
  ParsedResponse response = Open("s1");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(FindString(response.body, "currentBranch"), "trunk") << "without a second clone";
  EXPECT_EQ(boxes_.boxes.size(), 1U);
  EXPECT_EQ(boxes_.boxes.at(id)->state, boxes::BoxState::kRunning);
}

TEST_F(RecoupSessionsTest, WithoutASessionEachCallMakesABox) {
  for (int i = 0; i < 2; ++i) {
    boxes_.answers = {Cloned("main")};
    EXPECT_EQ(Call("POST", "/api/sandbox", R"({"repoUrl":"https://github.com/a/b.git"})").status,
              200);
  }
  EXPECT_EQ(boxes_.boxes.size(), 2U);
  EXPECT_TRUE(sessions_->All().empty());
}

TEST_F(RecoupSessionsTest, AFailedCloneLeavesNoBox) {
  boxes_.answers = {EventStreamResponse(OutputEvent("stderr", 0, "fatal: repository not found\n") +
                                        Event("exit", {{"exit_code", 128}}))};
  ParsedResponse response = Open("s1");
  EXPECT_EQ(response.status, 502);
  EXPECT_EQ(response.error(), "Failed to open the sandbox: clone: fatal: repository not found");
  EXPECT_TRUE(boxes_.boxes.empty());
  EXPECT_TRUE(sessions_->All().empty());
}

TEST_F(RecoupSessionsTest, OnlyGitHubAndOurOwnRepositoriesAreCloned) {
  ASSERT_TRUE(RunTask(repositories_.Make(kStranger)));
  for (const std::string& url :
       {std::string("https://gitlab.com/a/b"), std::string("http://github.com/a/b"),
        std::string("https://github.com/a"), std::string("https://github.com/a/b/c"),
        std::string("https://github.com/a/--upload-pack=x"), std::string("https://github.com/../b"),
        std::string("https://github.com.evil.org/a/b"), std::string("https://github.com/a/b;ls"),
        std::string("ext::sh"), std::string("http://viv.test/git/") + kStranger + ".git",
        std::string("http://viv.test/git/") + kMine + ".git"}) {
    ParsedResponse response =
        Call("POST", "/api/sandbox", WriteJson(json::object{{"repoUrl", url}}));
    EXPECT_EQ(response.status, 400) << url;
    EXPECT_EQ(response.body.at("missing_fields"), json::array({"repoUrl"}));
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSessionsTest, AnEmptyRepositoryOfOursIsCarriedOverAsOne) {
  ASSERT_TRUE(RunTask(repositories_.Make(kMine)));
  boxes_.answers = {Cloned("")};
  std::string url = std::string("http://viv.test/git/") + kMine + ".git";
  ParsedResponse response = Call("POST", "/api/sandbox", WriteJson(json::object{{"repoUrl", url}}));
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(FindString(response.body, "currentBranch"), "main");
  EXPECT_THAT(std::string(FindString(boxes_.Asked().at(0), "command")),
              ::testing::HasSubstr("refs/heads/'main'"));
}

TEST_F(RecoupSessionsTest, BadBodiesAreRefused) {
  for (const char* body : {"", "{}", R"({"repoUrl":""})", R"({"repoUrl":5})",
                           R"({"repoUrl":"https://github.com/a/b","sessionId":"a/b"})",
                           R"({"repoUrl":"https://github.com/a/b","sessionId":""})"})
    EXPECT_EQ(Call("POST", "/api/sandbox", body).status, 400) << body;
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(RecoupSessionsTest, ASessionIsForTheOrganizationOnly) {
  boxes_.answers = {Cloned("main")};
  Open("s1");
  EXPECT_EQ(Open("s1", "stranger").status, 403);
  for (const char* path : {"/api/sandbox/status", "/api/sandbox/reconnect"}) {
    EXPECT_EQ(As("stranger", "GET", std::string(path) + "?sessionId=s1").status, 403);
    EXPECT_EQ(Call("GET", std::string(path) + "?sessionId=none").status, 404);
    ParsedResponse missing = Call("GET", path);
    EXPECT_EQ(missing.status, 400);
    EXPECT_EQ(missing.error(), "Missing sessionId");
  }
  EXPECT_EQ(Open("s1", "colleague").status, 200);
  EXPECT_EQ(boxes_.boxes.size(), 1U) << "it is the first one's box";
}

TEST_F(RecoupSessionsTest, StatusFollowsTheBox) {
  boxes_.answers = {Cloned("main")};
  Open("s1");
  const std::int64_t now = boxes_.now_us / 1000;
  ParsedResponse active = Call("GET", "/api/sandbox/status?sessionId=s1");
  EXPECT_EQ(FindString(active.body, "status"), "active");
  EXPECT_FALSE(active.body.at("hasSnapshot").as_bool());
  EXPECT_EQ(active.body.at("lifecycleVersion").as_int64(), 1);
  EXPECT_EQ(active.body.at("lifecycle"), (json::object{{"serverTime", now},
                                                       {"state", "active"},
                                                       {"lastActivityAt", now},
                                                       {"hibernateAfter", now + 300'000},
                                                       {"sandboxExpiresAt", now + 1'800'000}}));
  std::string id = boxes_.boxes.begin()->first;
  boxes_.Edit(id, [](boxes::Box& box) { box.state = boxes::BoxState::kStopped; });
  ParsedResponse stopped = Call("GET", "/api/sandbox/status?sessionId=s1");
  EXPECT_EQ(FindString(stopped.body, "status"), "no_sandbox");
  EXPECT_TRUE(stopped.body.at("hasSnapshot").as_bool());
  EXPECT_EQ(FindString(stopped.body.at("lifecycle"), "state"), "hibernated");
  EXPECT_TRUE(stopped.body.at("lifecycle").at("hibernateAfter").is_null());
  boxes_.boxes.clear();
  ParsedResponse gone = Call("GET", "/api/sandbox/status?sessionId=s1");
  EXPECT_EQ(FindString(gone.body, "status"), "no_sandbox");
  EXPECT_FALSE(gone.body.at("hasSnapshot").as_bool());
  EXPECT_EQ(FindString(gone.body.at("lifecycle"), "state"), "archived");
}

TEST_F(RecoupSessionsTest, ReconnectLooksIntoTheBox) {
  boxes_.answers = {Cloned("main"), Cloned("/home/user")};
  Open("s1");
  ParsedResponse connected = Call("GET", "/api/sandbox/reconnect?sessionId=s1");
  EXPECT_EQ(FindString(connected.body, "status"), "connected");
  EXPECT_EQ(connected.body.at("expiresAt").as_int64(), boxes_.now_us / 1000 + 1'800'000);
  EXPECT_EQ(FindString(boxes_.Asked().at(1), "command"), "pwd");
  std::string id = boxes_.boxes.begin()->first;
  boxes_.Edit(id, [](boxes::Box& box) { box.state = boxes::BoxState::kStopped; });
  ParsedResponse expired = Call("GET", "/api/sandbox/reconnect?sessionId=s1");
  EXPECT_EQ(FindString(expired.body, "status"), "expired");
  EXPECT_EQ(FindString(expired.body.at("lifecycle"), "state"), "hibernated");
  EXPECT_FALSE(expired.body.as_object().contains("expiresAt"));
  boxes_.boxes.clear();
  EXPECT_EQ(FindString(Call("GET", "/api/sandbox/reconnect?sessionId=s1").body, "status"),
            "no_sandbox");
}

TEST_F(RecoupSessionsTest, ABoxThatStopsUnderTheProbeIsExpired) {
  boxes_.answers = {Cloned("main")};
  Open("s1");
  boxes_.on_dial = [this] {
    boxes_.Edit(boxes_.boxes.begin()->first,
                [](boxes::Box& box) { box.state = boxes::BoxState::kStopped; });
  };
  ParsedResponse response = Call("GET", "/api/sandbox/reconnect?sessionId=s1");
  EXPECT_EQ(FindString(response.body, "status"), "expired") << response.text;
}

}  // namespace
}  // namespace viv::recoup
