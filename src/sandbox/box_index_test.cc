#include "sandbox/box_index.h"

#include <gtest/gtest.h>

namespace viv::sandbox {
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
    if (page.more) ids.emplace_back("…");
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
  query.after = BoxQuery::Position{4, "e"};
  EXPECT_EQ(Ids(query), (List{"d", "c", "…"}));
  query.after = BoxQuery::Position{2, "c"};
  EXPECT_EQ(Ids(query), (List{"b"}));
  query.order = BoxQuery::Order::kOldestFirst;
  query.after = BoxQuery::Position{4, "e"};
  EXPECT_EQ(Ids(query), (List{"f"}));
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
  EXPECT_TRUE(index_.EndedAt(100).empty());
  EXPECT_EQ(index_.EndedAt(101), (List{"early"}));
  EXPECT_EQ(index_.EndedAt(500), (List{"early", "late"}));
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
}  // namespace viv::sandbox
