#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;

using AccountTest = E2bTest;

TEST_F(AccountTest, TakesTheKeyInEitherHeader) {
  EXPECT_EQ(Call("GET", "/v2/sandboxes", "", {{"X-API-Key", "key"}}).status, 200);
  EXPECT_EQ(Call("GET", "/v2/sandboxes", "", {{"Authorization", "Bearer key"}}).status, 200);
}

TEST_F(AccountTest, RefusesEveryRouteWithoutAValidKey) {
  for (const char* path : {"/v2/sandboxes", "/sandboxes/x", "/templates", "/teams", "/api-keys",
                           "/volumes", "/events/sandboxes", "/snapshots"}) {
    for (const HeaderList& headers :
         {HeaderList{{"X-API-Key", ""}}, HeaderList{{"X-API-Key", "wrong"}},
          HeaderList{{"Authorization", "Basic a2V5"}}}) {
      ParsedResponse response = Call("GET", path, "", headers);
      EXPECT_EQ(response.status, 401) << path;
      EXPECT_EQ(response.body.at("code").as_int64(), 401);
    }
  }
}

TEST_F(AccountTest, HealthNeedsNoKey) {
  EXPECT_EQ(Call("GET", "/health", "", {{"X-API-Key", ""}}).status, 200);
}

TEST_F(AccountTest, HasOneTeam) {
  EXPECT_EQ(Call("GET", "/teams").text,
            R"([{"teamID":"mine","name":"mine","apiKey":"key","isDefault":true}])");
}

TEST_F(AccountTest, MeasuresTheTeam) {
  Put();
  boxes::Box old;
  old.started_at_us = boxes_.now_us - 100'000'000;
  Put(old);
  boxes::Box paused;
  paused.state = boxes::BoxState::kPaused;
  Put(paused);
  ParsedResponse response = Call("GET", "/teams/mine/metrics");
  ASSERT_EQ(response.status, 200);
  ASSERT_EQ(response.body.as_array().size(), 1u);
  EXPECT_EQ(response.body.at(0).at("concurrentSandboxes").as_int64(), 2);
  EXPECT_NEAR(response.body.at(0).at("sandboxStartRate").as_double(), 2.0 / 60, 1e-9);
  EXPECT_EQ(Call("GET", "/teams/mine/metrics?end=5").text, "[]");
  ParsedResponse most = Call("GET", "/teams/mine/metrics/max?metric=concurrent_sandboxes");
  EXPECT_EQ(most.body.at("value").as_double(), 2);
}

TEST_F(AccountTest, RefusesBadTeamQuestions) {
  EXPECT_EQ(Call("GET", "/teams/theirs/metrics").status, 403);
  EXPECT_EQ(Call("GET", "/teams/theirs/metrics/max?metric=concurrent_sandboxes").status, 403);
  EXPECT_EQ(Call("GET", "/teams/mine/metrics?start=x").status, 400);
  EXPECT_EQ(Call("GET", "/teams/mine/metrics/max").status, 400);
  EXPECT_EQ(Call("GET", "/teams/mine/metrics/max?metric=cpu").status, 400);
}

TEST_F(AccountTest, MakesListsAndRemovesKeys) {
  ASSERT_EQ(Call("POST", "/api-keys", R"({"name":"spare"})").status, 201);
  ParsedResponse made = Call("POST", "/api-keys", R"({"name":"ci"})");
  ASSERT_EQ(made.status, 201) << made.text;
  std::string key(FindString(made.body, "key"));
  EXPECT_EQ(key.size(), 44u);
  EXPECT_EQ(FindString(made.body.at("mask"), "prefix"), "e2b_");
  EXPECT_EQ(FindString(made.body.at("mask"), "maskedValuePrefix"), key.substr(4, 4));
  std::string id(FindString(made.body, "id"));
  ParsedResponse list = Call("GET", "/api-keys");
  ASSERT_EQ(list.body.as_array().size(), 2u);
  EXPECT_EQ(FindString(list.body.at(1), "name"), "ci");
  EXPECT_EQ(list.text.find(key), std::string::npos);
  EXPECT_EQ(Call("DELETE", "/api-keys/" + id, "", {{"X-API-Key", "other"}}).status, 404);
  EXPECT_EQ(Call("PATCH", "/api-keys/" + id, R"({"name":"x"})").status, 400);
  EXPECT_EQ(Call("DELETE", "/api-keys/" + id).status, 204);
  EXPECT_EQ(Call("DELETE", "/api-keys/" + id).status, 404);
  EXPECT_EQ(Call("PATCH", "/api-keys/" + id, R"({"name":"x"})").status, 404);
  ParsedResponse left = Call("GET", "/api-keys");
  ASSERT_EQ(left.body.as_array().size(), 1u);
  EXPECT_EQ(FindString(left.body.at(0), "name"), "spare");
  std::string last(FindString(left.body.at(0), "id"));
  EXPECT_EQ(Call("DELETE", "/api-keys/" + last).status, 409) << "nobody could get in any more";
}

TEST_F(AccountTest, RefusesKeysWithoutAProperName) {
  for (const char* body : {"", "{}", R"({"name":""})", R"({"name":1})"})
    EXPECT_EQ(Call("POST", "/api-keys", body).status, 400) << body;
  EXPECT_EQ(Call("POST", "/api-keys", R"({"name":")" + std::string(200, 'x') + R"("})").status,
            400);
  EXPECT_TRUE(store_.keys.empty());
}

TEST_F(AccountTest, SaysWhatToUseInsteadOfWhatIsNotHere) {
  const std::string build = "/templates/t/builds/11111111-1111-1111-1111-111111111111";
  std::vector<std::pair<std::string, std::string>> calls = {
      {"POST", "/v3/templates"},
      {"POST", "/v2/templates"},
      {"POST", "/templates"},
      {"POST", "/templates/t"},
      {"GET", "/templates/t/files/abc"},
      {"POST", build},
      {"POST", "/v2" + build},
      {"GET", build + "/status?logsOffset=0"},
      {"GET", build + "/logs"},
      {"POST", "/templates/tags"},
      {"DELETE", "/templates/tags"},
      {"GET", "/volumes"},
      {"POST", "/volumes"},
      {"GET", "/volumes/v"},
      {"DELETE", "/volumes/v"},
      {"GET", "/volumecontent/v/dir?path=/"},
      {"PUT", "/volumecontent/v/file?path=/a"},
      {"GET", "/events/sandboxes"},
      {"GET", "/events/sandboxes/i1"},
      {"GET", "/events/webhooks"},
      {"POST", "/events/webhooks"},
      {"GET", "/events/webhooks/w"},
      {"PATCH", "/events/webhooks/w"},
      {"DELETE", "/events/webhooks/w"}};
  for (const auto& [method, path] : calls) {
    ParsedResponse response = Call(method, path, "{}");
    EXPECT_EQ(response.status, 400) << method << ' ' << path;
    EXPECT_THAT(response.message(), HasSubstr(" here: "));
  }
}

TEST_F(AccountTest, UnknownPathsAndMethodsHaveTheSameShape) {
  EXPECT_EQ(Call("GET", "/v2/sandboxes/i1/execute").status, 404);
  EXPECT_EQ(Call("PUT", "/v2/sandboxes").status, 405);
}

}  // namespace
}  // namespace viv::e2b
