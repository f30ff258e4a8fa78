#include "base/timestamp.h"
#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SandboxListTest : public E2bTest {
 protected:
  // Started `second` seconds after the beginning, in order of their letters.
  std::string PutAt(int second, boxes::BoxState state, std::string user) {
    boxes::Box box = NewBox();
    box.started_at_us = kBegin + second * 1'000'000;
    box.state = state;
    box.spec.metadata = {{"user", std::move(user)}, {"app", "test"}};
    return Put(std::move(box));
  }
  std::vector<std::string> Ids(const ParsedResponse& response) {
    std::vector<std::string> ids;
    if (!response.body.is_array()) {
      ADD_FAILURE() << response.text;
      return ids;
    }
    for (const json::value& item : response.body.get_array())
      ids.emplace_back(FindString(item, "sandboxID"));
    return ids;
  }
  std::vector<std::string> List(const std::string& query) {
    return Ids(Call("GET", "/v2/sandboxes" + query));
  }

  static constexpr std::int64_t kBegin = 1'790'000'000'000'000;
  std::string a_ = PutAt(1, boxes::BoxState::kRunning, "ann");
  std::string b_ = PutAt(2, boxes::BoxState::kPaused, "bob");
  std::string c_ = PutAt(3, boxes::BoxState::kRunning, "ann");
  std::string d_ = PutAt(4, boxes::BoxState::kStopped, "ann");
};

TEST_F(SandboxListTest, ShowsEveryRequiredField) {
  ParsedResponse response = Call("GET", "/v2/sandboxes?limit=1&state=running");
  ASSERT_EQ(response.status, 200);
  const json::value& item = response.body.at(0);
  for (const char* name : {"templateID", "sandboxID", "clientID", "startedAt", "endAt", "cpuCount",
                           "memoryMB", "diskSizeMB", "state", "envdVersion"}) {
    EXPECT_NE(Find(item, name), nullptr) << name;
  }
  EXPECT_EQ(item.at("cpuCount").as_int64(), 2);
  EXPECT_EQ(item.at("memoryMB").as_int64(), 512);
  EXPECT_EQ(item.at("diskSizeMB").as_int64(), 10'240);
  EXPECT_EQ(FindString(item, "state"), "running");
  EXPECT_EQ(FindString(item, "startedAt"), TimeText(kBegin + 3'000'000));
  EXPECT_EQ(FindString(item.at("metadata"), "user"), "ann");
}

TEST_F(SandboxListTest, NewestFirstUnlessAskedOtherwise) {
  EXPECT_THAT(List(""), ElementsAre(d_, c_, b_, a_));
  EXPECT_THAT(List("?order=desc"), ElementsAre(d_, c_, b_, a_));
  EXPECT_THAT(List("?order=asc"), ElementsAre(a_, b_, c_, d_));
}

TEST_F(SandboxListTest, FiltersByState) {
  EXPECT_THAT(List("?state=running"), ElementsAre(c_, a_));
  EXPECT_THAT(List("?state=paused"), ElementsAre(d_, b_));
  EXPECT_THAT(List("?state=running,paused"), ElementsAre(d_, c_, b_, a_));
  EXPECT_THAT(List("?state=running%2Cpaused"), ElementsAre(d_, c_, b_, a_));
}

TEST_F(SandboxListTest, FiltersByAllOfTheMetadata) {
  EXPECT_THAT(List("?metadata=user%3Dbob"), ElementsAre(b_));
  EXPECT_THAT(List("?metadata=user%3Dann%26app%3Dtest&state=running"), ElementsAre(c_, a_));
  EXPECT_THAT(List("?metadata=user%3Dann%26app%3Dother"), IsEmpty());
  EXPECT_THAT(List("?metadata=absent%3D"), IsEmpty());
}

TEST_F(SandboxListTest, FiltersByMetadataAsTheClientEncodesIt) {
  boxes::Box box = NewBox();
  box.spec.metadata = {{"a b", "c&d=é"}};
  std::string id = Put(std::move(box));
  EXPECT_THAT(List("?metadata=a%252520b%3Dc%252526d%25253D%2525C3%2525A9"), ElementsAre(id));
}

TEST_F(SandboxListTest, FiltersByStartInclusive) {
  EXPECT_THAT(List("?startedAfter=" + TimeText(kBegin + 3'000'000)), ElementsAre(d_, c_));
  EXPECT_THAT(List("?startedAfter=2099-01-01T00:00:00.000Z"), IsEmpty());
}

TEST_F(SandboxListTest, ComparesStartsInMilliseconds) {
  boxes::Box box = NewBox();
  box.started_at_us = kBegin + 9'000'456;
  std::string id = Put(std::move(box));
  // A Date of the client has lost the microseconds.
  EXPECT_THAT(List("?startedAfter=" + TimeText(kBegin + 9'000'000)), ElementsAre(id));
  EXPECT_THAT(List("?startedAfter=" + TimeText(kBegin + 9'000'999)), ElementsAre(id));
  EXPECT_THAT(List("?startedAfter=" + TimeText(kBegin + 9'001'000)), IsEmpty());
}

TEST_F(SandboxListTest, FiltersByTemplate) {
  EXPECT_EQ(List("?template=base").size(), 4u);
  EXPECT_EQ(List("?template=basebasebasebasebase").size(), 4u);
  EXPECT_EQ(List("?template=mine/base").size(), 4u);
  EXPECT_THAT(List("?template=unknown"), IsEmpty());
  EXPECT_EQ(Call("GET", "/v2/sandboxes?template=base:v1").status, 400);
  EXPECT_EQ(Call("GET", "/v2/sandboxes?template=base:default").status, 400);
}

TEST_F(SandboxListTest, PagesMeetWithoutGapOrOverlap) {
  for (const char* order : {"asc", "desc"}) {
    std::vector<std::string> all;
    std::string token;
    for (int page = 0; page < 10; ++page) {
      ParsedResponse response = Call("GET", std::string("/v2/sandboxes?limit=1&order=") + order +
                                                (token.empty() ? "" : "&nextToken=" + token));
      for (const std::string& id : Ids(response)) all.push_back(id);
      token = std::string(response.headers.Get("x-next-token"));
      if (token.empty()) break;
    }
    EXPECT_EQ(all.size(), 4u);
    EXPECT_EQ(all.front(), std::string(order) == "asc" ? a_ : d_);
  }
}

TEST_F(SandboxListTest, BreaksTiesById) {
  std::vector<std::string> made;
  for (int i = 0; i < 5; ++i) made.push_back(PutAt(50, boxes::BoxState::kRunning, "eve"));
  std::vector<std::string> seen;
  std::string token;
  do {
    ParsedResponse response = Call("GET", "/v2/sandboxes?metadata=user%3Deve&limit=2&order=asc" +
                                              (token.empty() ? "" : "&nextToken=" + token));
    for (const std::string& id : Ids(response)) seen.push_back(id);
    token = std::string(response.headers.Get("x-next-token"));
  } while (!token.empty());
  EXPECT_EQ(seen, made);
}

TEST_F(SandboxListTest, TellsTheEndByTheMissingToken) {
  EXPECT_FALSE(Call("GET", "/v2/sandboxes?limit=4").headers.Has("x-next-token"));
  EXPECT_TRUE(Call("GET", "/v2/sandboxes?limit=3").headers.Has("x-next-token"));
}

TEST_F(SandboxListTest, CountsWhatRunsWhenThatWasAskedFor) {
  EXPECT_EQ(Call("GET", "/v2/sandboxes?limit=1").headers.Get("x-total-running"), "2");
  EXPECT_EQ(Call("GET", "/v2/sandboxes?metadata=user%3Dbob").headers.Get("x-total-running"), "0");
  EXPECT_FALSE(Call("GET", "/v2/sandboxes?state=paused").headers.Has("x-total-running"));
}

TEST_F(SandboxListTest, RefusesATokenOfTheOtherOrder) {
  ParsedResponse first = Call("GET", "/v2/sandboxes?limit=1&order=asc");
  std::string token(first.headers.Get("x-next-token"));
  EXPECT_EQ(Call("GET", "/v2/sandboxes?limit=1&nextToken=" + token).status, 400);
}

TEST_F(SandboxListTest, RefusesBadParameters) {
  for (const char* query : {"limit=0",
                            "limit=101",
                            "limit=x",
                            "limit=",
                            "nextToken=!!",
                            "nextToken=%zz",
                            "nextToken=YWJj",
                            "state=stopped",
                            "state=",
                            "state=running,",
                            "state=RUNNING",
                            "order=up",
                            "order=",
                            "metadata=a",
                            "metadata=a%3Db%3Dc",
                            "metadata=%zz",
                            "metadata=%2525zz%3Da",
                            "startedAfter=yesterday",
                            "startedAfter=",
                            "template=a%20b"}) {
    ParsedResponse response = Call("GET", std::string("/v2/sandboxes?") + query);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_NE(response.message(), "") << query;
  }
}

TEST_F(SandboxListTest, AnotherAccountSeesNothing) {
  EXPECT_THAT(Ids(Call("GET", "/v2/sandboxes", "", {{"X-API-Key", "other"}})), IsEmpty());
}

TEST_F(SandboxListTest, TheOlderListHasOnlyWhatRuns) {
  EXPECT_THAT(Ids(Call("GET", "/sandboxes")), ElementsAre(c_, a_));
  EXPECT_THAT(Ids(Call("GET", "/sandboxes?metadata=user%3Dbob")), IsEmpty());
  EXPECT_EQ(Call("GET", "/sandboxes?metadata=x").status, 400);
}

}  // namespace
}  // namespace viv::e2b
