#include "boxes/box_index.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

class BoxIndexTest : public ::testing::Test {
 protected:
  void Put(const std::string& id,
           std::int64_t started,
           BoxState state = BoxState::kRunning,
           const std::string& account = "alice") {
    auto entry = std::make_shared<BoxEntry>();
    entry->id = id;
    Box box;
    box.id = id;
    box.account_id = account;
    box.state = state;
    box.started_at_us = started;
    box.ends_at_us = started + 100;
    index_.Put(entry, std::move(box));
  }
  std::vector<std::string> Ids(const BoxQuery& query) {
    std::vector<std::string> ids;
    BoxPage page = index_.List(query);
    for (const BoxPtr& box : page.boxes) ids.push_back(box->id);
    if (page.has_more) ids.emplace_back("…");
    return ids;
  }
  using List = std::vector<std::string>;

  BoxIndex index_;
};

TEST_F(BoxIndexTest, ListsTheNewestFirstAndTheOldestOnRequest) {
  Put("a", 1);
  Put("c", 3);
  Put("b", 3);
  BoxQuery query;
  query.account_id = "alice";
  EXPECT_EQ(Ids(query), (List{"c", "b", "a"}));
  query.order = BoxQuery::Order::kOldestFirst;
  EXPECT_EQ(Ids(query), (List{"a", "b", "c"}));
}

TEST_F(BoxIndexTest, PagesGoOnWhereTheLastOneEnded) {
  for (int i = 1; i <= 5; ++i) Put(std::string(1, static_cast<char>('a' + i)), i);
  BoxQuery query;
  query.account_id = "alice";
  query.limit = 2;
  EXPECT_EQ(Ids(query), (List{"f", "e", "…"}));
  query.after = BoxSortKey{4, "", "e"};
  EXPECT_EQ(Ids(query), (List{"d", "c", "…"}));
  query.after = BoxSortKey{2, "", "c"};
  EXPECT_EQ(Ids(query), (List{"b"}));
  query.order = BoxQuery::Order::kOldestFirst;
  query.after = BoxSortKey{4, "", "e"};
  EXPECT_EQ(Ids(query), (List{"f"}));
}

TEST_F(BoxIndexTest, ListsInEveryOrderAndFindsAPageByItsNumber) {
  using SortBy = BoxQuery::SortBy;
  // Name, state, stopped at, idle time, time kept when stopped: each sorts them in its own way.
  auto put = [this](const std::string& id, const std::string& name, BoxState state,
                    std::int64_t stopped, std::int64_t idle, std::int64_t kept) {
    auto entry = std::make_shared<BoxEntry>();
    entry->id = id;
    Box box;
    box.id = id;
    box.account_id = "alice";
    box.state = state;
    box.spec.name = name;
    box.stopped_at_us = stopped;
    box.spec.idle_seconds = idle;
    box.spec.keep_stopped_seconds = kept;
    index_.Put(entry, std::move(box));
  };
  put("i1", "zebra", BoxState::kRunning, 3, 5, 9);
  put("i2", "ant", BoxState::kStopped, 1, 7, 9);
  put("i3", "", BoxState::kFailed, 2, 6, 8);
  put("i4", "bee", BoxState::kStarting, 0, 7, 1);
  BoxQuery query;
  query.account_id = "alice";
  query.order = BoxQuery::Order::kOldestFirst;
  const std::pair<SortBy, List> expected[] = {{SortBy::kName, {"i2", "i4", "i3", "i1"}},
                                              {SortBy::kState, {"i3", "i4", "i1", "i2"}},
                                              {SortBy::kStop, {"i4", "i2", "i3", "i1"}},
                                              {SortBy::kIdleTime, {"i1", "i3", "i2", "i4"}},
                                              {SortBy::kKeepStopped, {"i4", "i3", "i1", "i2"}}};
  for (const auto& [by, ids] : expected) {
    query.sort_by = by;
    query.offset = 0;
    query.limit = 10;
    EXPECT_EQ(Ids(query), ids) << static_cast<int>(by);
    query.offset = 2;
    query.limit = 1;
    EXPECT_EQ(Ids(query), (List{ids[2], "…"})) << static_cast<int>(by);
    query.accept = [](const Box& box) { return box.id != "i1"; };
    query.offset = 3;
    EXPECT_TRUE(Ids(query).empty()) << static_cast<int>(by);
    query.accept = nullptr;
    query.offset = 4;
    EXPECT_TRUE(Ids(query).empty()) << static_cast<int>(by);
  }
  query.sort_by = SortBy::kName;
  query.order = BoxQuery::Order::kNewestFirst;
  query.limit = 10;
  query.offset = 1;
  query.after = BoxSortKey{0, "zebra", "i1"};
  EXPECT_EQ(Ids(query), (List{"i4", "i2"}));
}

TEST_F(BoxIndexTest, APageThatIsJustFullHasNoSuccessor) {
  Put("a", 1);
  Put("b", 2);
  BoxQuery query;
  query.account_id = "alice";
  query.limit = 2;
  EXPECT_EQ(Ids(query), (List{"b", "a"}));
}

TEST_F(BoxIndexTest, ShowsNothingOfAnotherAccount) {
  Put("a", 1, BoxState::kRunning, "bob");
  BoxQuery query;
  query.account_id = "alice";
  EXPECT_TRUE(Ids(query).empty());
}

TEST_F(BoxIndexTest, KnowsOneBoxOnceHoweverOftenItChanges) {
  Put("a", 1);
  Put("a", 5, BoxState::kPaused);
  BoxQuery query;
  query.account_id = "alice";
  EXPECT_EQ(Ids(query), (List{"a"}));
  EXPECT_EQ(index_.Find("a").box->state, BoxState::kPaused);
  index_.Remove("a");
  EXPECT_EQ(index_.Find("a").box, nullptr);
  EXPECT_TRUE(Ids(query).empty());
  index_.Remove("a");
}

TEST_F(BoxIndexTest, TellsOfRunningBoxesWhoseTimeIsOver) {
  Put("early", 1);
  Put("late", 50);
  Put("paused", 1, BoxState::kPaused);
  EXPECT_TRUE(index_.DueAt(100).empty());
  EXPECT_EQ(index_.DueAt(101), (List{"early"}));
  EXPECT_EQ(index_.DueAt(500), (List{"early", "late"}));
}

TEST_F(BoxIndexTest, TellsWhoWasIdleOrStoppedForLong) {
  constexpr std::int64_t kSecond = 1'000'000;
  Box idle;
  idle.id = "idle";
  idle.started_at_us = 10 * kSecond;
  idle.ends_at_us = kNoEndUs;
  idle.spec.idle_seconds = 60;
  auto entry = std::make_shared<BoxEntry>();
  index_.Put(entry, idle);
  EXPECT_TRUE(index_.DueAt(70 * kSecond - 1).empty());
  EXPECT_EQ(index_.DueAt(70 * kSecond), (List{"idle"}));
  entry->active_at_us = 30 * kSecond;
  index_.Put(entry, idle);
  EXPECT_TRUE(index_.DueAt(90 * kSecond - 1).empty());
  index_.SetDue("idle", 200 * kSecond);
  EXPECT_TRUE(index_.DueAt(200 * kSecond - 1).empty());
  EXPECT_EQ(index_.DueAt(200 * kSecond), (List{"idle"}));

  idle.state = BoxState::kStopped;
  idle.stopped_at_us = 100 * kSecond;
  index_.Put(entry, idle);
  EXPECT_TRUE(index_.DueAt(kNoEndUs).empty());
  idle.spec.keep_stopped_seconds = 60;
  index_.Put(entry, idle);
  EXPECT_TRUE(index_.DueAt(160 * kSecond - 1).empty());
  EXPECT_EQ(index_.DueAt(160 * kSecond), (List{"idle"}));
  index_.Remove("idle");
  EXPECT_TRUE(index_.DueAt(kNoEndUs).empty());
}

TEST_F(BoxIndexTest, AnAccountHasANameOnce) {
  Box box;
  box.id = "one";
  box.account_id = "alice";
  box.spec.name = "first";
  EXPECT_TRUE(index_.ClaimName("alice", "first", "one"));
  EXPECT_FALSE(index_.ClaimName("alice", "first", "two"));
  EXPECT_TRUE(index_.ClaimName("bob", "first", "three"));
  EXPECT_EQ(index_.FindByName("alice", "first").box, nullptr) << "claimed, but not there yet";
  auto entry = std::make_shared<BoxEntry>();
  index_.Put(entry, box);
  EXPECT_EQ(index_.FindByName("alice", "first").box->id, "one");
  ASSERT_TRUE(index_.ClaimName("alice", "second", "one"));
  box.spec.name = "second";
  index_.Put(entry, box);
  EXPECT_EQ(index_.FindByName("alice", "first").box, nullptr);
  EXPECT_TRUE(index_.ClaimName("alice", "first", "two"));
  index_.ReleaseName("alice", "first", "one");
  EXPECT_FALSE(index_.ClaimName("alice", "first", "four")) << "released by one who has it not";
  index_.Remove("one");
  EXPECT_EQ(index_.FindByName("alice", "second").box, nullptr);
  EXPECT_TRUE(index_.ClaimName("alice", "second", "two"));
}

TEST_F(BoxIndexTest, SkipsWhatTheQueryDoesNotAccept) {
  Put("a", 1);
  Put("b", 2, BoxState::kPaused);
  BoxQuery query;
  query.account_id = "alice";
  query.accept = [](const Box& box) { return box.state == BoxState::kPaused; };
  EXPECT_EQ(Ids(query), (List{"b"}));
}

}  // namespace
}  // namespace viv::boxes
