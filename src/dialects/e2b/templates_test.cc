#include "base/ids.h"
#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;

class TemplatesTest : public E2bTest {
 protected:
  void AddTemplates(int count) {
    for (int i = 0; i < count; ++i) {
      boxes::TemplateInfo info = boxes_.templates.front();
      info.id = "template" + std::to_string(1000 + i);
      info.names = {"t" + std::to_string(i)};
      info.created_at_us += 1'000'000 * (1 + i / 2);  // some at the same moment
      boxes_.templates.push_back(info);
    }
  }
};

TEST_F(TemplatesTest, ShowEveryRequiredField) {
  ParsedResponse response = Call("GET", "/templates");
  ASSERT_EQ(response.status, 200);
  ASSERT_EQ(response.body.as_array().size(), 1u);
  for (const char* name :
       {"templateID", "buildID", "cpuCount", "memoryMB", "diskSizeMB", "public", "aliases", "names",
        "createdAt", "updatedAt", "createdBy", "lastSpawnedAt", "spawnCount", "buildCount",
        "envdVersion", "buildStatus"}) {
    EXPECT_NE(Find(response.body.at(0), name), nullptr) << name;
  }
  EXPECT_TRUE(IsUuid(FindString(response.body.at(0), "buildID")));
  EXPECT_EQ(WriteJson(response.body.at(0).at("names")), R"(["base"])");
}

TEST_F(TemplatesTest, LeaveSnapshotsOut) {
  Call("POST", "/sandboxes/" + Put() + "/snapshots", "{}");
  EXPECT_EQ(Call("GET", "/templates").body.as_array().size(), 1u);
  EXPECT_EQ(Call("GET", "/v2/templates").body.as_array().size(), 1u);
}

TEST_F(TemplatesTest, ComeInPagesNewestFirst) {
  AddTemplates(7);
  std::vector<std::string> ids;
  std::string token;
  do {
    ParsedResponse response =
        Call("GET", "/v2/templates?limit=3" + (token.empty() ? "" : "&nextToken=" + token));
    ASSERT_EQ(response.status, 200);
    for (const json::value& item : response.body.as_array())
      ids.emplace_back(FindString(item, "templateID"));
    token = std::string(response.headers.Get("x-next-token"));
  } while (!token.empty());
  ASSERT_EQ(ids.size(), 8u);
  EXPECT_EQ(ids.front(), "template1006");
  EXPECT_EQ(ids.back(), "basebasebasebasebase");
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST_F(TemplatesTest, RefuseBadPages) {
  for (const char* query : {"limit=0", "limit=101", "nextToken=x"})
    EXPECT_EQ(Call("GET", std::string("/v2/templates?") + query).status, 400) << query;
}

TEST_F(TemplatesTest, AreFoundByIdAndByName) {
  for (const char* name : {"base", "BASE", "base:default", "mine%2Fbase", "basebasebasebasebase"}) {
    ParsedResponse response = Call("GET", std::string("/templates/") + name);
    EXPECT_EQ(response.status, 200) << name;
    EXPECT_EQ(FindString(response.body, "templateID"), "basebasebasebasebase");
    EXPECT_EQ(FindString(response.body.at("builds").at(0), "status"), "ready");
    ParsedResponse alias = Call("GET", std::string("/templates/aliases/") + name);
    EXPECT_EQ(alias.text, R"({"templateID":"basebasebasebasebase","public":true})");
  }
  for (const char* name : {"nope", "base:v1", "theirs%2Fbase"}) {
    EXPECT_EQ(Call("GET", std::string("/templates/") + name).status, 404) << name;
    EXPECT_EQ(Call("GET", std::string("/templates/aliases/") + name).status, 404) << name;
    EXPECT_EQ(Call("GET", std::string("/templates/") + name + "/tags").status, 404) << name;
  }
  EXPECT_EQ(Call("GET", "/templates/a%20b").status, 400);
}

TEST_F(TemplatesTest, HaveTags) {
  ParsedResponse response = Call("GET", "/templates/base/tags");
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(FindString(response.body.at(0), "tag"), "default");
  EXPECT_TRUE(IsUuid(FindString(response.body.at(0), "buildID")));
}

TEST_F(TemplatesTest, CannotChangeWhoMayUseThem) {
  for (const char* path : {"/templates/base", "/v2/templates/base"}) {
    EXPECT_EQ(Call("PATCH", path, R"({"public":true})").text, R"({"names":["base"]})");
    EXPECT_EQ(Call("PATCH", path, R"({"public":false})").status, 400);
    EXPECT_EQ(Call("PATCH", path, R"({"public":1})").status, 400);
  }
  EXPECT_EQ(Call("PATCH", "/templates/nope", R"({"public":true})").status, 404);
}

TEST_F(TemplatesTest, AreRemovedUnlessInUse) {
  AddTemplates(1);
  boxes_.failure = Error{ErrorCode::kConflict, "sandboxes use it"};
  EXPECT_EQ(Call("DELETE", "/templates/t0").status, 400);
  boxes_.failure = Error{ErrorCode::kPermissionDenied, "it is built in"};
  EXPECT_EQ(Call("DELETE", "/templates/base").status, 403);
  EXPECT_EQ(Call("DELETE", "/templates/t0").status, 204);
  EXPECT_EQ(Call("DELETE", "/templates/t0").status, 404);
}

using SnapshotsTest = TemplatesTest;

TEST_F(SnapshotsTest, WithoutANameAreCalledByTheirId) {
  ParsedResponse response = Call("POST", "/sandboxes/" + Put() + "/snapshots", "{}");
  ASSERT_EQ(response.status, 201);
  EXPECT_EQ(response.text, R"({"snapshotID":"snap1001:default","names":[]})");
}

TEST_F(SnapshotsTest, WithANameAreCalledByIt) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  EXPECT_EQ(Call("POST", path, R"({"name":"S"})").text,
            R"({"snapshotID":"mine/s:default","names":["mine/s:default"]})");
  EXPECT_EQ(Call("POST", path, R"({"name":"mine/s:v2"})").text,
            R"({"snapshotID":"mine/s:v2","names":["mine/s:v2"]})");
  for (const char* body :
       {R"({"name":"a b"})", R"({"name":1})", R"({"name":"theirs/s"})", R"({"name":"a:b:c"})"}) {
    EXPECT_EQ(Call("POST", path, body).status, 400) << body;
  }
}

TEST_F(SnapshotsTest, StartSandboxesUnderEveryNameTheyWereGiven) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  for (const char* body : {"{}", R"({"name":"s"})", R"({"name":"s:v2"})"}) {
    std::string id(FindString(Call("POST", path, body).body, "snapshotID"));
    ParsedResponse made = Call("POST", "/v2/sandboxes", R"({"templateID":")" + id + R"("})");
    EXPECT_EQ(made.status, 201) << id << made.text;
  }
}

TEST_F(SnapshotsTest, AreListedAndFiltered) {
  std::string a = Put(), b = Put();
  Call("POST", "/sandboxes/" + a + "/snapshots", R"({"name":"one"})");
  Call("POST", "/sandboxes/" + b + "/snapshots", R"({"name":"two:v1"})");
  Call("POST", "/sandboxes/" + b + "/snapshots", "{}");
  auto count = [&](const std::string& query) {
    return Call("GET", "/snapshots" + query).body.as_array().size();
  };
  EXPECT_EQ(count(""), 3u);
  EXPECT_EQ(count("?sandboxID=" + b), 2u);
  EXPECT_EQ(count("?sandboxID=" + b + "-client"), 2u);
  EXPECT_EQ(count("?sandboxID=inone"), 0u);
  for (const char* name :
       {"one", "mine/one", "one:default", "two", "two:v1", "snap1003", "snap1003:default"})
    EXPECT_EQ(count(std::string("?name=") + name), 1u) << name;
  for (const char* name : {"two:default", "two:v2", "nope", "theirs/one", "a%20b"})
    EXPECT_EQ(count(std::string("?name=") + name), 0u) << name;
  ParsedResponse page = Call("GET", "/snapshots?limit=2");
  EXPECT_EQ(page.body.as_array().size(), 2u);
  std::string token(page.headers.Get("x-next-token"));
  ASSERT_FALSE(token.empty());
  ParsedResponse last = Call("GET", "/snapshots?limit=2&nextToken=" + token);
  EXPECT_EQ(last.body.as_array().size(), 1u);
  EXPECT_FALSE(last.headers.Has("x-next-token"));
  EXPECT_EQ(Call("GET", "/snapshots?limit=0").status, 400);
}

TEST_F(SnapshotsTest, OfTheSameNameTakeThePlaceOfTheOlder) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  for (const char* body : {R"({"name":"s"})", R"({"name":"s:v2"})", R"({"name":"s"})", "{}"})
    ASSERT_EQ(Call("POST", path, body).status, 201);
  EXPECT_EQ(boxes_.templates.size(), 4u);  // base, s:v2, the newer s and the nameless one
  EXPECT_EQ(Call("GET", "/snapshots?name=s:default").body.as_array().size(), 1u);
  EXPECT_EQ(Call("GET", "/snapshots?name=s").body.as_array().size(), 2u);
  EXPECT_EQ(Call("DELETE", "/templates/s").status, 204);
  EXPECT_EQ(Call("DELETE", "/templates/s").status, 404);
  EXPECT_EQ(Call("DELETE", "/templates/s:v2").status, 204);
}

TEST_F(SnapshotsTest, OfTheSameNameAreOneWhileAnOlderIsInUse) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  ASSERT_EQ(Call("POST", path, R"({"name":"s"})").status, 201);
  boxes_.failure = Error{ErrorCode::kConflict, "sandboxes use it"};  // of the removal
  boxes::TemplateInfo newer = boxes_.templates.back();
  newer.id = "snapnewer";
  newer.created_at_us += 1;
  boxes_.templates.push_back(newer);
  EXPECT_EQ(Call("GET", "/snapshots").body.as_array().size(), 1u);
  EXPECT_EQ(Call("DELETE", "/templates/s").status, 400);
  EXPECT_EQ(boxes_.templates.size(), 3u);
  EXPECT_EQ(Call("DELETE", "/templates/s").status, 204);
  EXPECT_EQ(boxes_.templates.size(), 1u);
}

TEST_F(SnapshotsTest, ShowAllTagsOfTheirName) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  for (const char* body : {R"({"name":"s:v2"})", R"({"name":"s"})", R"({"name":"other:v9"})"})
    Call("POST", path, body);
  auto tags = [&](const std::string& name) {
    std::string all;
    ParsedResponse response = Call("GET", "/templates/" + name + "/tags");
    for (const json::value& one : response.body.as_array())
      all += std::string(FindString(one, "tag")) + " ";
    return all;
  };
  EXPECT_EQ(tags("s"), "default v2 ");
  EXPECT_EQ(tags("s:v2"), "default v2 ");
  EXPECT_EQ(tags("other"), "v9 ");
  EXPECT_EQ(Call("GET", "/templates/other:v1/tags").status, 404);
}

TEST_F(SnapshotsTest, AreRemovedAsTemplates) {
  std::string path = "/sandboxes/" + Put() + "/snapshots";
  Call("POST", path, "{}");
  Call("POST", path, R"({"name":"s"})");
  EXPECT_EQ(Call("DELETE", "/templates/snap1001%3Adefault").status, 204);
  EXPECT_EQ(Call("DELETE", "/templates/mine%2Fs%3Adefault").status, 204);
  EXPECT_EQ(Call("GET", "/snapshots").text, "[]");
  EXPECT_EQ(Call("DELETE", "/templates/snap1001:default").status, 404);
}

}  // namespace
}  // namespace viv::e2b
