#pragma once
// The contract of listing: order, filters, pages, totals. Included by store/contract_test.h.

#include "store/contract/fixture.h"

namespace viv::store {

class ListingContract : public StoreContract {
 protected:
  using Ids = std::vector<std::string>;

  Ids List(const SandboxStore::ListQuery& query) {
    SandboxStore::Page page = store().ListSandboxes(query);
    total_ = page.total;
    Ids ids;
    for (const SandboxPtr& row : page.sandboxes) ids.push_back(row->id);
    return ids;
  }
  static SandboxStore::ListQuery Of(std::string account) {
    SandboxStore::ListQuery query;
    query.account_id = std::move(account);
    return query;
  }

  std::size_t total_ = 0;
};

TEST_P(ListingContract, GivesTheNewestFirstAndTheGreaterIdOfTheSameTime) {
  for (int number : {2, 1, 3}) MustAcquire(Request("slack", number));
  auto same_time = Request("github", 9);
  same_time.lease.updated_at_us = 2;
  MustAcquire(std::move(same_time));
  const Ids expected{"id-slack-3", "id-slack-2", "id-github-9", "id-slack-1"};
  EXPECT_EQ(List(Of("alice")), expected);
  EXPECT_EQ(total_, 4U);
  Reopen();
  EXPECT_EQ(List(Of("alice")), expected);
}

TEST_P(ListingContract, AnUpdateMovesARowToItsNewPlace) {
  SandboxPtr first = MustAcquire(Request("slack", 1));
  MustAcquire(Request("slack", 2));
  Sandbox touched = *first;
  touched.updated_at_us = 3;
  ASSERT_TRUE(Update(touched, first->lease_id));
  EXPECT_EQ(List(Of("alice")), (Ids{"id-slack-1", "id-slack-2"}));
}

TEST_P(ListingContract, ShowsAnAccountOnlyItsOwn) {
  MustAcquire(Request("slack", 1));
  auto of_bob = Request("slack", 2);
  of_bob.lease.account_id = "bob";
  MustAcquire(std::move(of_bob));
  EXPECT_EQ(List(Of("alice")), Ids{"id-slack-1"});
  EXPECT_EQ(List(Of("bob")), Ids{"id-slack-2"});
  EXPECT_EQ(List(Of("carol")), Ids{});
  EXPECT_EQ(total_, 0U);
}

TEST_P(ListingContract, NobodyIsShownIdleRows) {
  ASSERT_TRUE(Release(MustAcquire(Request("slack", 1)), 2));
  EXPECT_EQ(List(Of("alice")), Ids{});
  EXPECT_EQ(List(Of("")), Ids{});
}

TEST_P(ListingContract, FindsByTheWordsOfTags) {
  auto acquire = [this](const char* server, int number, std::string tags) {
    auto request = Request(server, number);
    request.lease.tags_json = std::move(tags);
    return MustAcquire(std::move(request));
  };
  std::string many = R"(["blue")";
  for (int i = 0; i < 100; ++i) many += ",\"w" + std::to_string(i) + "\"";
  acquire("slack", 1, R"({"color":"blue","n":1})");
  acquire("slack", 2, R"(["red","color:blue"])");
  acquire("github", 3, R"(["blue","new"])");
  acquire("slack", 4, "null");
  acquire("slack", 5, many + "]");  // more than an index takes
  SandboxPtr last = acquire("slack", 6, R"(["blue"])");
  auto find = [this](std::vector<std::string> words, const std::string& server = "") {
    auto query = Of("alice");
    query.tags = std::move(words);
    query.server = server;
    return List(query);
  };
  const Ids blue{"id-slack-6", "id-slack-5", "id-github-3", "id-slack-1"};
  EXPECT_EQ(find({"blue"}), blue);
  EXPECT_EQ(total_, 4U);
  EXPECT_EQ(find({"blue"}, "slack"), (Ids{"id-slack-6", "id-slack-5", "id-slack-1"}));
  EXPECT_EQ(find({"color:blue"}, "slack"), (Ids{"id-slack-2", "id-slack-1"}));
  EXPECT_EQ(find({"blue", "new"}), Ids{"id-github-3"});
  EXPECT_EQ(find({"blue", "w99"}), Ids{"id-slack-5"});
  EXPECT_EQ(find({"green"}), Ids{});
  EXPECT_EQ(total_, 0U);
  auto page = Of("alice");
  page.tags = {"blue"};
  page.offset = 1;
  page.limit = 2;
  EXPECT_EQ(List(page), (Ids{"id-slack-5", "id-github-3"}));
  EXPECT_EQ(total_, 4U);
  page.accept = [](const Sandbox& row) { return row.server == "slack"; };
  EXPECT_EQ(List(page), (Ids{"id-slack-5", "id-slack-1"}));
  EXPECT_EQ(total_, 3U);
  Reopen();
  EXPECT_EQ(find({"blue"}), blue);
  Sandbox changed = *last;
  changed.tags_json = "[]";
  ASSERT_TRUE(Update(changed, last->lease_id));
  EXPECT_EQ(find({"blue"}), (Ids{"id-slack-5", "id-github-3", "id-slack-1"}));
}

TEST_P(ListingContract, FiltersByServer) {
  MustAcquire(Request("slack", 1));
  MustAcquire(Request("github", 2));
  MustAcquire(Request("slack", 3));
  auto query = Of("alice");
  query.server = "slack";
  EXPECT_EQ(List(query), (Ids{"id-slack-3", "id-slack-1"}));
  EXPECT_EQ(total_, 2U);
  query.server = "jira";
  EXPECT_EQ(List(query), Ids{});
  EXPECT_EQ(total_, 0U);
}

TEST_P(ListingContract, PagesHaveOffsetAndLimitAndTheWholeTotal) {
  for (int number = 1; number <= 5; ++number) MustAcquire(Request("slack", number));
  auto query = Of("alice");
  query.offset = 1;
  query.limit = 2;
  EXPECT_EQ(List(query), (Ids{"id-slack-4", "id-slack-3"}));
  EXPECT_EQ(total_, 5U);
  query.offset = 4;
  EXPECT_EQ(List(query), Ids{"id-slack-1"});
  for (std::size_t beyond : {std::size_t{5}, std::size_t{SIZE_MAX}}) {
    query.offset = beyond;
    EXPECT_EQ(List(query), Ids{});
    EXPECT_EQ(total_, 5U);
  }
  query.offset = 0;
  query.limit = 0;
  EXPECT_EQ(List(query), Ids{});
  EXPECT_EQ(total_, 5U);
}

TEST_P(ListingContract, AFilterHasItsOwnPagesAndTotal) {
  for (int number = 1; number <= 6; ++number) MustAcquire(Request("slack", number));
  MustAcquire(Request("github", 8));
  auto query = Of("alice");
  query.server = "slack";
  query.accept = [](const Sandbox& row) { return row.updated_at_us % 2 == 0; };
  query.offset = 1;
  query.limit = 1;
  EXPECT_EQ(List(query), Ids{"id-slack-4"});
  EXPECT_EQ(total_, 3U);
  query.offset = SIZE_MAX;
  EXPECT_EQ(List(query), Ids{});
  EXPECT_EQ(total_, 3U);
  query.accept = [](const Sandbox&) { return false; };
  EXPECT_EQ(List(query), Ids{});
  EXPECT_EQ(total_, 0U);
}

}  // namespace viv::store
