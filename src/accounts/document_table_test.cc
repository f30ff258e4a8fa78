#include "accounts/document_table.h"

#include <gtest/gtest.h>

#include "accounts/fake_store.h"
#include "base/run_to_end.h"

namespace viv::accounts {
namespace {

class DocumentTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<DocumentTable> Load() { return *DocumentTable::Load(store_, "kind"); }
  FakeStore store_;
};

TEST_F(DocumentTableTest, WhatIsPutIsThereForTheNextServer) {
  auto table = Load();
  ASSERT_TRUE(RunToEnd(table->Put({"b", "alice", json::object({{"n", 1}})})));
  ASSERT_TRUE(RunToEnd(table->Put({"a", "alice", "text"})));
  ASSERT_TRUE(RunToEnd(table->Put({"c", "bob", nullptr})));
  for (DocumentTable* one : {table.get(), Load().release()}) {
    auto list = one->List("alice");
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0]->id, "a");
    EXPECT_EQ(list[1]->body, json::value(json::object({{"n", 1}})));
    EXPECT_EQ(one->All().size(), 3u);
    if (one != table.get()) delete one;
  }
}

TEST_F(DocumentTableTest, AnotherAccountsEntryIsNone) {
  auto table = Load();
  ASSERT_TRUE(RunToEnd(table->Put({"a", "alice", 1})));
  EXPECT_NE(table->Find("alice", "a"), nullptr);
  EXPECT_EQ(table->Find("bob", "a"), nullptr);
  EXPECT_EQ(table->Find("alice", "b"), nullptr);
  ASSERT_TRUE(RunToEnd(table->Remove("a")));
  EXPECT_EQ(table->Find("a"), nullptr);
  EXPECT_TRUE(store_.documents.empty());
}

TEST_F(DocumentTableTest, WhatCouldNotBeKeptIsNotShown) {
  auto table = Load();
  ASSERT_TRUE(RunToEnd(table->Put({"a", "alice", 1})));
  store_.is_broken = true;
  EXPECT_FALSE(RunToEnd(table->Put({"a", "alice", 2})));
  EXPECT_FALSE(RunToEnd(table->Remove("a")));
  EXPECT_EQ(table->Find("a")->body, json::value(1));
}

TEST_F(DocumentTableTest, ARecordThatCannotBeReadHidesNoOther) {
  store_.documents[{"kind", "x"}] = {"kind", "x", "alice", "{broken"};
  store_.documents[{"kind", "y"}] = {"kind", "y", "alice", "{}"};
  EXPECT_EQ(Load()->All().size(), 1u);
}

}  // namespace
}  // namespace viv::accounts
