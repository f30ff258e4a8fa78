#include "base/text.h"
#include "dialects/langsmith/box_query.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BoxListTest : public LangsmithTest {
 protected:
  static constexpr std::int64_t kFirstUs = 1'790'000'000'000'000;

  struct Sample {
    const char* name;
    boxes::BoxState state;
    int created;  // seconds after the first
    std::map<std::string, std::string> labels = {};
  };

  std::string PutSample(Sample sample) {
    boxes::Box box;
    box.spec.name = sample.name;
    box.state = sample.state;
    box.spec.metadata = std::move(sample.labels);
    box.created_at_us = kFirstUs + sample.created * 1'000'000LL;
    box.started_at_us = box.created_at_us;
    if (box.state == boxes::BoxState::kStopped || box.state == boxes::BoxState::kPaused)
      box.stopped_at_us = box.created_at_us + 500;
    return Put(std::move(box));
  }

  void PutFour() {
    PutSample({"delta", boxes::BoxState::kRunning, 1, {{"team", "red"}, {"env", "test"}}});
    PutSample({"Alpha", boxes::BoxState::kStopped, 2, {{"team", "blue"}}});
    PutSample({"charlie", boxes::BoxState::kFailed, 3});
    PutSample({"bravo", boxes::BoxState::kStarting, 4, {{"team", "red"}}});
  }

  static std::vector<std::string> NamesIn(const ParsedResponse& response,
                                          const char* key = "sandboxes") {
    EXPECT_EQ(response.status, 200) << response.text;
    std::vector<std::string> names;
    if (response.status != 200) return names;
    for (const json::value& box : response.body.at(key).as_array())
      names.emplace_back(FindString(box, "name"));
    return names;
  }
  std::vector<std::string> List(const std::string& query) {
    return NamesIn(Call("GET", "/boxes" + query));
  }
};

TEST_F(BoxListTest, AnswersAllFourKeysOfAnEmptyList) {
  ParsedResponse response = Call("GET", "/boxes");
  EXPECT_EQ(response.text, R"({"sandboxes":[],"items":[],"offset":0,"next_cursor":null})");
}

TEST_F(BoxListTest, ListsTheNewestFirstUnderBothKeys) {
  PutFour();
  ParsedResponse response = Call("GET", "/boxes");
  EXPECT_THAT(NamesIn(response), ElementsAre("bravo", "charlie", "Alpha", "delta"));
  EXPECT_EQ(NamesIn(response, "items"), NamesIn(response));
  EXPECT_EQ(response.body.at("offset").as_int64(), 0);
  EXPECT_TRUE(response.body.at("next_cursor").is_null());
  EXPECT_EQ(NamesIn(CallPath("GET", "/api/v2/sandboxes/boxes")), NamesIn(response));
}

TEST_F(BoxListTest, ShowsEveryFieldOfTheContract) {
  boxes::Box box;
  box.spec.name = "one";
  box.state = boxes::BoxState::kStopped;
  box.stopped_at_us = kFirstUs;
  box.message = "it said so";
  box.spec.template_id = "snapsnapsnapsnapsnap";
  box.spec.template_name = "mine";
  Put(std::move(box));
  ParsedResponse response = Call("GET", "/boxes");
  const json::value& shown = response.body.at("sandboxes").at(0);
  for (const char* text :
       {"created_at", "created_by", "dataplane_url", "id", "name", "size_class", "snapshot_id",
        "status", "status_message", "stopped_at", "updated_at", "updated_by"})
    EXPECT_TRUE(Find(shown, text) != nullptr && Find(shown, text)->is_string()) << text;
  for (const char* number : {"delete_after_stop_seconds", "fs_capacity_bytes", "idle_ttl_seconds",
                             "mem_bytes", "vcpus", "cpu_millicores"})
    EXPECT_TRUE(Find(shown, number) != nullptr && Find(shown, number)->is_int64()) << number;
}

TEST_F(BoxListTest, ListsBoxesOfOtherDialects) {
  boxes::Box box;
  box.state = boxes::BoxState::kPaused;
  box.stopped_at_us = kFirstUs;
  box.spec.metadata = {{"app", "x"}};
  const std::string id = Put(std::move(box));
  ParsedResponse response = Call("GET", "/boxes?label=app");
  EXPECT_THAT(NamesIn(response), ElementsAre(id));
  const json::value& shown = response.body.at("items").at(0);
  EXPECT_EQ(FindString(shown, "status"), "stopped");
  EXPECT_EQ(FindString(shown, "created_by"), "mine");
  EXPECT_EQ(shown.at("labels").at("app").as_string(), "x");
  EXPECT_EQ(Call("GET", "/boxes/" + id).status, 200);
}

TEST_F(BoxListTest, OrdersByCreationAlsoAfterARestart) {
  PutFour();
  const std::string delta = (*boxes_.GetByName("mine", "delta"))->id;
  boxes_.Edit(delta, [](boxes::Box& box) { box.started_at_us = kFirstUs + 99'000'000; });
  EXPECT_THAT(List(""), ElementsAre("bravo", "charlie", "Alpha", "delta"));
  EXPECT_THAT(List("?limit=2"), ElementsAre("bravo", "charlie"));
  EXPECT_THAT(List("?limit=2&offset=2"), ElementsAre("Alpha", "delta"));
  EXPECT_THAT(List("?limit=1&offset=3"), ElementsAre("delta"));
}

TEST_F(BoxListTest, FiltersByName) {
  PutFour();
  EXPECT_THAT(List("?name_contains=AL"), ElementsAre("Alpha"));
  EXPECT_THAT(List("?name_contains=l"), ElementsAre("charlie", "Alpha", "delta"));
  EXPECT_THAT(List("?name_contains=%2A"), IsEmpty());
  EXPECT_THAT(List("?name_contains="), SizeIs(4));
}

TEST_F(BoxListTest, FiltersByStatus) {
  PutFour();
  EXPECT_THAT(List("?status=ready"), ElementsAre("delta"));
  EXPECT_THAT(List("?status=stopped"), ElementsAre("Alpha"));
  EXPECT_THAT(List("?status=failed"), ElementsAre("charlie"));
  EXPECT_THAT(List("?status=provisioning"), ElementsAre("bravo"));
  EXPECT_THAT(List("?status=deleting"), IsEmpty());
}

TEST_F(BoxListTest, FiltersByAllOfTheLabels) {
  PutFour();
  EXPECT_THAT(List("?label=team"), ElementsAre("bravo", "Alpha", "delta"));
  EXPECT_THAT(List("?label=team%3Dred"), ElementsAre("bravo", "delta"));
  EXPECT_THAT(List("?label=team=red&label=env"), ElementsAre("delta"));
  EXPECT_THAT(List("?label=team%3Dred&label=team%3Dblue"), IsEmpty());
  EXPECT_THAT(List("?label=team%3D"), IsEmpty());
}

TEST_F(BoxListTest, FiltersByAllOfTheTagValues) {
  Call("POST", "/boxes", R"({"name": "both", "tag_value_ids": ["t1", "t2"]})");
  Call("POST", "/boxes", R"({"name": "one", "tag_value_ids": ["t1"]})");
  Call("POST", "/boxes", R"({"name": "none"})");
  EXPECT_THAT(List("?tag_value_id=t1&sort_by=name&sort_order=asc"), ElementsAre("both", "one"));
  EXPECT_THAT(List("?tag_value_id=t1&tag_value_id=t2"), ElementsAre("both"));
  EXPECT_THAT(List("?tag_value_id=t3"), IsEmpty());
}

TEST_F(BoxListTest, FiltersByCreator) {
  PutFour();
  EXPECT_THAT(List("?created_by=me"), SizeIs(4));
  EXPECT_EQ(Call("GET", "/boxes?created_by=theirs").status, 400);
}

TEST_F(BoxListTest, SortsByEveryKey) {
  PutFour();
  boxes_.Edit((*boxes_.GetByName("mine", "bravo"))->id,
              [](boxes::Box& box) { box.spec.idle_seconds = 60; });
  boxes_.Edit((*boxes_.GetByName("mine", "charlie"))->id,
              [](boxes::Box& box) { box.spec.keep_stopped_seconds = 60; });
  EXPECT_THAT(List("?sort_by=name&sort_direction=asc"),
              ElementsAre("Alpha", "bravo", "charlie", "delta"));
  EXPECT_THAT(List("?sort_by=name"), ElementsAre("delta", "charlie", "bravo", "Alpha"));
  EXPECT_THAT(List("?sort_by=status&sort_order=asc"),
              ElementsAre("charlie", "bravo", "delta", "Alpha"));
  EXPECT_THAT(List("?sort_by=created_at&sort_order=asc"),
              ElementsAre("delta", "Alpha", "charlie", "bravo"));
  EXPECT_EQ(List("?sort_by=stopped_at").front(), "Alpha");
  EXPECT_EQ(List("?sort_by=idle_ttl_seconds").front(), "bravo");
  EXPECT_EQ(List("?sort_by=delete_after_stop_seconds").front(), "charlie");
  EXPECT_THAT(List("?sort_by=name&sort_direction=desc&sort_order=asc"),
              ElementsAre("Alpha", "bravo", "charlie", "delta"));
}

TEST_F(BoxListTest, PagesByOffset) {
  PutFour();
  ParsedResponse first = Call("GET", "/boxes?limit=3");
  EXPECT_THAT(NamesIn(first), ElementsAre("bravo", "charlie", "Alpha"));
  EXPECT_EQ(first.body.at("offset").as_int64(), 3);
  ParsedResponse second = Call("GET", "/boxes?limit=3&offset=3");
  EXPECT_THAT(NamesIn(second), ElementsAre("delta"));
  EXPECT_EQ(second.body.at("offset").as_int64(), 0);
  EXPECT_THAT(List("?limit=3&offset=4"), IsEmpty());
  EXPECT_THAT(List("?offset=1000000"), IsEmpty());
}

TEST_F(BoxListTest, CursorsMeetWithoutGapOrOverlap) {
  PutFour();
  for (int i = 0; i < 7; ++i) {  // of one moment: the id decides
    std::string name = "tie" + std::to_string(i);
    PutSample({name.c_str(), boxes::BoxState::kRunning, 4});
  }
  for (const char* sort : {"name", "status", "created_at", "stopped_at", "idle_ttl_seconds",
                           "delete_after_stop_seconds"}) {
    for (const char* order : {"asc", "desc"}) {
      const std::string base = std::string("?page_size=2&sort_by=") + sort + "&sort_order=" + order;
      std::vector<std::string> paged;
      std::string cursor;
      for (int page = 0; page < 10; ++page) {
        ParsedResponse response =
            Call("GET", "/boxes" + base + (cursor.empty() ? "" : "&cursor=" + cursor));
        for (std::string& name : NamesIn(response)) paged.push_back(std::move(name));
        cursor = std::string(response.Text("next_cursor"));
        if (cursor.empty()) break;
      }
      EXPECT_EQ(paged, List(std::string("?sort_by=") + sort + "&sort_order=" + order))
          << sort << ' ' << order;
      EXPECT_THAT(paged, SizeIs(11));
    }
  }
}

TEST_F(BoxListTest, ACursorOutlivesTheBoxItStandsOn) {
  PutFour();
  ParsedResponse first = Call("GET", "/boxes?page_size=2");
  boxes_.boxes.erase((*boxes_.GetByName("mine", "charlie"))->id);
  PutSample({"echo", boxes::BoxState::kRunning, 9});
  EXPECT_THAT(List("?page_size=2&cursor=" + std::string(first.Text("next_cursor"))),
              ElementsAre("Alpha", "delta"));
}

TEST_F(BoxListTest, RefusesBadParameters) {
  PutFour();
  ParsedResponse page = Call("GET", "/boxes?page_size=1");
  const std::string cursor(page.Text("next_cursor"));
  for (const std::string& query : {std::string("limit=0"),
                                   std::string("limit=501"),
                                   std::string("limit=-1"),
                                   std::string("limit=x"),
                                   std::string("limit="),
                                   std::string("limit=1.5"),
                                   std::string("page_size=0"),
                                   std::string("page_size=501"),
                                   std::string("offset=-1"),
                                   std::string("offset=x"),
                                   std::string("offset=99999999999999999999"),
                                   std::string("status=running"),
                                   std::string("status="),
                                   std::string("sort_by=age"),
                                   std::string("sort_by="),
                                   std::string("sort_direction=up"),
                                   std::string("sort_order=UP"),
                                   std::string("created_by=you"),
                                   std::string("label="),
                                   std::string("tag_value_id="),
                                   std::string("label=%3Dred"),
                                   std::string("name_contains=%zz"),
                                   std::string("name_contains=%ff"),
                                   std::string("cursor=!!"),
                                   std::string("cursor=YWJj"),
                                   std::string("cursor=W10"),
                                   "cursor=" + std::string(2000, 'A'),
                                   "cursor=" + cursor + "&offset=1",
                                   "cursor=" + cursor + "&sort_by=name",
                                   "cursor=" + cursor + "&sort_order=asc"}) {
    ParsedResponse response = Call("GET", "/boxes?" + query);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_EQ(response.type(), "InvalidRequest") << query;
  }
  std::string many = "/boxes?label=a";
  for (int i = 0; i < 32; ++i) many += "&label=a";
  EXPECT_EQ(Call("GET", many).status, 400);
}

TEST_F(BoxListTest, AnotherAccountSeesNothing) {
  PutFour();
  EXPECT_THAT(NamesIn(Call("GET", "/boxes", "", {{"X-Api-Key", "other"}})), IsEmpty());
}

TEST(BoxCursorTest, ReadsWhatItWrote) {
  BoxListQuery query;
  query.sort = BoxSort::kName;
  const BoxSortKey sort_key{-5, "a \"name\" with é", "i0"};
  auto read = DecodeCursor(query, EncodeCursor(query, sort_key));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, sort_key);
  query.order = SortOrder::kAscending;
  EXPECT_FALSE(DecodeCursor(query, EncodeCursor(BoxListQuery(), sort_key)).has_value());
}

}  // namespace
}  // namespace viv::langsmith
