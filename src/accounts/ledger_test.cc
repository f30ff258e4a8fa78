#include "accounts/ledger.h"

#include <gtest/gtest.h>

#include "accounts/fake_store.h"
#include "base/run_to_end.h"

namespace viv::accounts {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> Load() { return *Ledger::Load(store_, "kind"); }
  FakeStore store_;
};

TEST_F(LedgerTest, WhatIsPutIsThereForTheNextServer) {
  auto ledger = Load();
  ASSERT_TRUE(RunToEnd(ledger->Put({"b", "alice", json::object({{"n", 1}})})));
  ASSERT_TRUE(RunToEnd(ledger->Put({"a", "alice", "text"})));
  ASSERT_TRUE(RunToEnd(ledger->Put({"c", "bob", nullptr})));
  for (Ledger* one : {ledger.get(), Load().release()}) {
    auto list = one->List("alice");
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0]->id, "a");
    EXPECT_EQ(list[1]->body, json::value(json::object({{"n", 1}})));
    EXPECT_EQ(one->All().size(), 3u);
    if (one != ledger.get()) delete one;
  }
}

TEST_F(LedgerTest, AnotherAccountsEntryIsNone) {
  auto ledger = Load();
  ASSERT_TRUE(RunToEnd(ledger->Put({"a", "alice", 1})));
  EXPECT_NE(ledger->Find("alice", "a"), nullptr);
  EXPECT_EQ(ledger->Find("bob", "a"), nullptr);
  EXPECT_EQ(ledger->Find("alice", "b"), nullptr);
  ASSERT_TRUE(RunToEnd(ledger->Remove("a")));
  EXPECT_EQ(ledger->Find("a"), nullptr);
  EXPECT_TRUE(store_.documents.empty());
}

TEST_F(LedgerTest, WhatCouldNotBeKeptIsNotShown) {
  auto ledger = Load();
  ASSERT_TRUE(RunToEnd(ledger->Put({"a", "alice", 1})));
  store_.is_broken = true;
  EXPECT_FALSE(RunToEnd(ledger->Put({"a", "alice", 2})));
  EXPECT_FALSE(RunToEnd(ledger->Remove("a")));
  EXPECT_EQ(ledger->Find("a")->body, json::value(1));
}

TEST_F(LedgerTest, ARecordThatCannotBeReadHidesNoOther) {
  store_.documents[{"kind", "x"}] = {"kind", "x", "alice", "{broken"};
  store_.documents[{"kind", "y"}] = {"kind", "y", "alice", "{}"};
  EXPECT_EQ(Load()->All().size(), 1u);
}

}  // namespace
}  // namespace viv::accounts
