#include "accounts/account_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "accounts/fake_store.h"
#include "base/run_to_end.h"
#include "base/text.h"

namespace viv::accounts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using TextKind = gateway::SecretText::Kind;
using Metadata = std::map<std::string, std::string>;

class AccountSecretsTest : public ::testing::Test {
 protected:
  // What the next start of the server knows.
  void Restart() {
    table_ = *DocumentTable::Load(store_, "secret");
    secrets_ =
        std::make_unique<AccountSecrets>(*table_, sealer_, [this] { return now_us_ += 1000; });
  }
  AccountSecretsTest() { Restart(); }

  Result<AccountSecret> Create(std::string name, std::string value, std::string account = "alice") {
    return RunToEnd(
        secrets_->Create(std::move(account), std::move(name), std::move(value), Metadata()));
  }
  Result<AccountSecret> Update(std::string name,
                               std::string value,
                               std::optional<Metadata> metadata = std::nullopt) {
    return RunToEnd(
        secrets_->Update("alice", std::move(name), std::move(value), std::move(metadata)));
  }
  Result<std::string> Reveal(TextKind kind, std::string text, std::string account = "alice") {
    return secrets_->Reveal(account, {kind, std::move(text), ""});
  }
  std::string StoredText() const {
    std::string all;
    for (const auto& [key, document] : store_.documents) all += document.body;
    return all;
  }

  FakeStore store_;
  const Sealer sealer_{"server secret"};
  std::int64_t now_us_ = 1'000'000;
  std::unique_ptr<DocumentTable> table_;
  std::unique_ptr<AccountSecrets> secrets_;
};

TEST_F(AccountSecretsTest, ANewSecretIsItsFirstVersion) {
  auto made = RunToEnd(secrets_->Create("alice", "Api_Key-1", "s3cret", {{"team", "red"}}));
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->name, "api_key-1");
  EXPECT_EQ(made->version, 1);
  EXPECT_EQ(made->id.size(), 24u);
  EXPECT_TRUE(made->id.starts_with("sec_"));
  EXPECT_EQ(made->metadata, (Metadata{{"team", "red"}}));
  EXPECT_EQ(made->created_at_us, made->updated_at_us);
  for (const std::string& ref : {std::string("api_key-1"), std::string("API_KEY-1"), made->id}) {
    auto found = secrets_->Get("alice", ref);
    ASSERT_TRUE(found.has_value()) << ref;
    EXPECT_EQ(found->id, made->id);
    EXPECT_EQ(found->metadata, made->metadata);
  }
}

TEST_F(AccountSecretsTest, OutlivesARestart) {
  std::string id = Create("a", "one")->id;
  ASSERT_TRUE(Update("a", "two").has_value());
  Restart();
  EXPECT_EQ(secrets_->Get("alice", "a")->id, id);
  EXPECT_EQ(secrets_->Get("alice", "a")->version, 2);
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "{A}"), "two");
  EXPECT_EQ(Create("a", "x").error().code, ErrorCode::kConflict);
}

TEST_F(AccountSecretsTest, TheStoreHasNoValue) {
  ASSERT_TRUE(Create("a", "canary-1").has_value());
  ASSERT_TRUE(Update("a", "canary-2").has_value());
  EXPECT_THAT(StoredText(), HasSubstr("\"sealed\""));
  EXPECT_THAT(StoredText(), Not(HasSubstr("canary")));
}

TEST_F(AccountSecretsTest, AnUpdateIsTheNextVersion) {
  AccountSecret first = *RunToEnd(secrets_->Create("alice", "a", "one", {{"k", "v"}}));
  auto second = Update("A", "two");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->version, 2);
  EXPECT_EQ(second->id, first.id);
  EXPECT_EQ(second->metadata, (Metadata{{"k", "v"}}));
  EXPECT_EQ(second->created_at_us, first.created_at_us);
  EXPECT_GT(second->updated_at_us, first.updated_at_us);
  auto third = Update(first.id, "three", Metadata());
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->version, 3);
  EXPECT_TRUE(third->metadata.empty());
  EXPECT_EQ(*Reveal(TextKind::kDollarReferences, "${e2b.secrets.a}"), "three");
}

TEST_F(AccountSecretsTest, RefusesNamesAndValuesThatCannotBe) {
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a.b"), std::string("ä"), std::string("{a}"),
        std::string("sec_a"), std::string("SEC_A"), std::string(129, 'a'), std::string("a\0b", 3)})
    EXPECT_EQ(Create(name, "x").error().code, ErrorCode::kInvalidArgument) << name;
  ASSERT_TRUE(Create("a", "x").has_value());
  for (const std::string& value :
       {std::string(), std::string("canary\0", 7), std::string(kSecretValueBytesMax + 1, 'c')}) {
    EXPECT_EQ(Create("b", value).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(Update("a", value).error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(Create("b", value).error().message, Not(HasSubstr("canary")));
  }
  EXPECT_EQ(secrets_->List("alice").size(), 1u);
  EXPECT_EQ(secrets_->Get("alice", "a")->version, 1);
  EXPECT_TRUE(Create(std::string(128, 'b'), std::string(kSecretValueBytesMax, 'v')).has_value());
}

TEST_F(AccountSecretsTest, AnotherAccountsSecretIsNone) {
  std::string id = Create("a", "of alice")->id;
  ASSERT_TRUE(Create("a", "of bob", "bob").has_value());
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "{a}", "bob"), "of bob");
  for (const std::string& ref : {id, ToLower(id)}) {
    EXPECT_EQ(secrets_->Get("bob", ref).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(RunToEnd(secrets_->Update("bob", ref, "x", std::nullopt)).error().code,
              ErrorCode::kNotFound);
    EXPECT_EQ(RunToEnd(secrets_->Remove("bob", ref)).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(Reveal(TextKind::kDollarReferences, "${e2b.secrets." + ref + '}', "bob").error().code,
              ErrorCode::kNotFound);
  }
  EXPECT_EQ(Reveal(TextKind::kBraceReferences, "{a}", "carol").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "{a}"), "of alice");
}

TEST_F(AccountSecretsTest, ListsTheNewestFirst) {
  for (const char* name : {"one", "two", "three"}) ASSERT_TRUE(Create(name, "x").has_value());
  ASSERT_TRUE(Create("other", "x", "bob").has_value());
  ASSERT_TRUE(Update("one", "y").has_value());
  std::vector<std::string> names;
  for (const AccountSecret& secret : secrets_->List("alice")) names.push_back(secret.name);
  EXPECT_EQ(names, (std::vector<std::string>{"three", "two", "one"}));
}

TEST_F(AccountSecretsTest, ARemovedSecretIsGoneAndItsNameFree) {
  std::string id = Create("a", "one")->id;
  ASSERT_TRUE(RunToEnd(secrets_->Remove("alice", "A")).has_value());
  EXPECT_EQ(RunToEnd(secrets_->Remove("alice", "a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(secrets_->Get("alice", id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Update(id, "x").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(store_.documents.empty());
  auto again = Create("a", "two");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->version, 1);
  EXPECT_NE(again->id, id);
}

TEST_F(AccountSecretsTest, OfManyWhoCreateOneNameOneWins) {
  asio::io_context io;
  int made = 0, refused = 0;
  auto create = [&]() -> Task<void> {
    auto secret = co_await secrets_->Create("alice", "a", "x", Metadata());
    if (secret) ++made;
    if (!secret && secret.error().code == ErrorCode::kConflict) ++refused;
  };
  for (int i = 0; i < 8; ++i) asio::co_spawn(io, create(), asio::detached);
  io.run();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused, 7);
  EXPECT_EQ(secrets_->List("alice").size(), 1u);
}

TEST_F(AccountSecretsTest, NoVersionIsLostAmongManyUpdates) {
  ASSERT_TRUE(Create("a", "x").has_value());
  asio::io_context io;
  auto update = [&]() -> Task<void> {
    auto secret = co_await secrets_->Update("alice", "a", "y", std::nullopt);
    EXPECT_TRUE(secret.has_value());
  };
  for (int i = 0; i < 8; ++i) asio::co_spawn(io, update(), asio::detached);
  io.run();
  EXPECT_EQ(secrets_->Get("alice", "a")->version, 9);
}

TEST_F(AccountSecretsTest, WhatCouldNotBeKeptDidNotHappen) {
  ASSERT_TRUE(Create("a", "one").has_value());
  store_.is_broken = true;
  EXPECT_FALSE(Create("b", "x").has_value());
  EXPECT_FALSE(Update("a", "two").has_value());
  EXPECT_FALSE(RunToEnd(secrets_->Remove("alice", "a")).has_value());
  store_.is_broken = false;
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "{a}"), "one");
  EXPECT_EQ(secrets_->Get("alice", "a")->version, 1);
  EXPECT_TRUE(Create("b", "x").has_value());
}

TEST_F(AccountSecretsTest, AnAccountHasSoManySecretsOnly) {
  for (std::size_t i = 0; i < kSecretsPerAccountMax; ++i)
    ASSERT_TRUE(Create("n" + std::to_string(i), "x").has_value());
  EXPECT_EQ(Create("more", "x").error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Create("more", "x", "bob").has_value());
  ASSERT_TRUE(RunToEnd(secrets_->Remove("alice", "n7")).has_value());
  EXPECT_TRUE(Create("more", "x").has_value());
}

TEST_F(AccountSecretsTest, RevealsEveryKindOfText) {
  std::string id = Create("key", "s3cret")->id;
  EXPECT_EQ(*Reveal(TextKind::kPlain, "{key} ${e2b.secrets.key}"), "{key} ${e2b.secrets.key}");
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "Bearer {KEY}; {\"a\": 1}"),
            "Bearer s3cret; {\"a\": 1}");
  EXPECT_EQ(*Reveal(TextKind::kDollarReferences, "Bearer ${e2b.secrets.Key} {key}"),
            "Bearer s3cret {key}");
  EXPECT_EQ(*Reveal(TextKind::kDollarReferences, "${e2b.secrets." + id + "}"), "s3cret");
  gateway::SecretText sealed{TextKind::kSealed, sealer_.Seal("rule:alice", "sealed text"),
                             "rule:alice"};
  EXPECT_EQ(*secrets_->Reveal("alice", sealed), "sealed text");
  sealed.purpose = "rule:bob";
  EXPECT_FALSE(secrets_->Reveal("alice", sealed).has_value());
}

TEST_F(AccountSecretsTest, AValueIsNotReadForReferences) {
  ASSERT_TRUE(Create("outer", "{inner} ${e2b.secrets.inner}").has_value());
  ASSERT_TRUE(Create("inner", "x").has_value());
  EXPECT_EQ(*Reveal(TextKind::kBraceReferences, "{outer}"), "{inner} ${e2b.secrets.inner}");
  EXPECT_EQ(*Reveal(TextKind::kDollarReferences, "${e2b.secrets.outer}"),
            "{inner} ${e2b.secrets.inner}");
}

TEST_F(AccountSecretsTest, AMissingSecretIsNamedAndNothingElseOfTheText) {
  ASSERT_TRUE(Create("known", "canary").has_value());
  for (const auto& [kind, text] :
       {std::pair(TextKind::kBraceReferences, "Basic {known}:{gone}"),
        std::pair(TextKind::kDollarReferences, "Basic ${e2b.secrets.known}${e2b.secrets.gone}"),
        std::pair(TextKind::kBraceReferences, "Basic {gone}")}) {
    auto revealed = Reveal(kind, text);
    ASSERT_FALSE(revealed.has_value());
    EXPECT_EQ(revealed.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(revealed.error().message, "secret 'gone' not found");
  }
  EXPECT_EQ(Reveal(TextKind::kDollarReferences, "${e2b.secrets.a").error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(AccountSecretsTest, ATextDoesNotGrowWithoutEnd) {
  ASSERT_TRUE(Create("a", std::string(kSecretValueBytesMax, 'v')).has_value());
  EXPECT_EQ(Reveal(TextKind::kBraceReferences, "{a}{a}{a}{a}")->size(), 4 * kSecretValueBytesMax);
  EXPECT_EQ(Reveal(TextKind::kBraceReferences, "{a}{a}{a}{a}{a}").error().code,
            ErrorCode::kLimitExceeded);
}

TEST_F(AccountSecretsTest, ARecordOfAnotherAccountDoesNotOpen) {
  // Someone who can write to the store moves a sealed value to an account of their own.
  ASSERT_TRUE(Create("a", "of alice").has_value());
  store::Document moved = store_.documents.begin()->second;
  moved.account_id = "bob";
  store_.documents.begin()->second = moved;
  Restart();
  EXPECT_EQ(secrets_->Get("bob", "a")->name, "a");
  EXPECT_FALSE(Reveal(TextKind::kBraceReferences, "{a}", "bob").has_value());
}

}  // namespace
}  // namespace viv::accounts
