#include "sandbox/ledger.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace viv::sandbox {
namespace {

// Documents in memory, which can refuse to be written.
class LedgerDocuments : public store::DocumentStore {
 public:
  std::map<std::string, store::Document> documents;
  bool broken = false;

  Task<Status> PutDocument(store::Document document) override {
    if (broken) co_return Fail(ErrorCode::kUnavailable, "the disk is full");
    documents[document.id] = document;
    co_return Status();
  }
  Task<Status> RemoveDocument(std::string, std::string id) override {
    if (broken) co_return Fail(ErrorCode::kUnavailable, "the disk is full");
    documents.erase(id);
    co_return Status();
  }
  Result<std::vector<store::Document>> ListDocuments(std::string_view kind) const override {
    std::vector<store::Document> list;
    for (const auto& [id, document] : documents)
      if (document.kind == kind) list.push_back(document);
    return list;
  }
};

Status Await(Task<Status> task) {
  asio::io_context io;
  Status status;
  auto on_end = [&status](std::exception_ptr, Status ended) { status = std::move(ended); };
  asio::co_spawn(io, std::move(task), on_end);
  io.run();
  return status;
}

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> Load() { return *Ledger::Load(store_, "kind"); }
  LedgerDocuments store_;
};

TEST_F(LedgerTest, WhatIsPutIsThereForTheNextServer) {
  auto ledger = Load();
  ASSERT_TRUE(Await(ledger->Put({"b", "alice", json::object({{"n", 1}})})));
  ASSERT_TRUE(Await(ledger->Put({"a", "alice", "text"})));
  ASSERT_TRUE(Await(ledger->Put({"c", "bob", nullptr})));
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
  ASSERT_TRUE(Await(ledger->Put({"a", "alice", 1})));
  EXPECT_NE(ledger->Find("alice", "a"), nullptr);
  EXPECT_EQ(ledger->Find("bob", "a"), nullptr);
  EXPECT_EQ(ledger->Find("alice", "b"), nullptr);
  ASSERT_TRUE(Await(ledger->Remove("a")));
  EXPECT_EQ(ledger->Find("a"), nullptr);
  EXPECT_TRUE(store_.documents.empty());
}

TEST_F(LedgerTest, WhatCouldNotBeKeptIsNotShown) {
  auto ledger = Load();
  ASSERT_TRUE(Await(ledger->Put({"a", "alice", 1})));
  store_.broken = true;
  EXPECT_FALSE(Await(ledger->Put({"a", "alice", 2})));
  EXPECT_FALSE(Await(ledger->Remove("a")));
  EXPECT_EQ(ledger->Find("a")->body, json::value(1));
}

TEST_F(LedgerTest, ARecordThatCannotBeReadHidesNoOther) {
  store_.documents["x"] = {"kind", "x", "alice", "{broken"};
  store_.documents["y"] = {"kind", "y", "alice", "{}"};
  EXPECT_EQ(Load()->All().size(), 1u);
}

}  // namespace
}  // namespace viv::sandbox
