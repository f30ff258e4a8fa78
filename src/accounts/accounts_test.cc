#include "accounts/accounts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/ids.h"
#include "store/sqlite/sqlite_store.h"

namespace viv::accounts {
namespace {

class AccountsTest : public ::testing::Test {
 protected:
  AccountsTest() : folder_(::testing::TempDir() + "viv-accounts-XXXXXX") {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    auto opened = store::SqliteStore::Open(folder_ + "/viv.db");
    EXPECT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
    accounts_ = std::make_unique<Accounts>(*store_);
    EXPECT_TRUE(accounts_->Prepare(""));
  }
  ~AccountsTest() override {
    accounts_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  std::unique_ptr<store::SqliteStore> store_;
  std::unique_ptr<Accounts> accounts_;
};

template <typename T>
ErrorCode CodeOf(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? ErrorCode::kInternal : result.error().code;
}

TEST_F(AccountsTest, AnAccountHasAUuidAndBelongsToTheOrganizationGivenByNameOrId) {
  auto organization = accounts_->CreateOrganization("Research");
  ASSERT_TRUE(organization);
  auto alice = accounts_->CreateAccount("alice", "Research");
  auto bob = accounts_->CreateAccount("bob@example.com", organization->id);
  auto carol = accounts_->CreateAccount("carol", "");
  ASSERT_TRUE(alice && bob && carol);
  EXPECT_TRUE(IsUuid(alice->id));
  EXPECT_EQ(alice->organization_id, organization->id);
  EXPECT_EQ(bob->organization_id, organization->id);
  EXPECT_EQ(accounts_->FindOrganization(carol->organization_id)->name, "carol");
  EXPECT_FALSE(accounts_->MayActFor(carol->id, kDefaultAccount)) << "the operator is none of hers";
  EXPECT_EQ(accounts_->ListAccounts()->size(), 4U);
  EXPECT_EQ(accounts_->ListOrganizations()->size(), 3U);
  EXPECT_EQ(accounts_->FindAccount("alice")->id, alice->id);
  EXPECT_EQ(accounts_->FindAccount(alice->id)->name, "alice");
}

TEST_F(AccountsTest, NamesAreGivenOnce) {
  ASSERT_TRUE(accounts_->CreateOrganization("one"));
  ASSERT_TRUE(accounts_->CreateAccount("alice", ""));
  EXPECT_EQ(CodeOf(accounts_->CreateOrganization("one")), ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(accounts_->CreateOrganization("default")), ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(accounts_->CreateAccount("alice", "one")), ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(accounts_->CreateAccount("default", "one")), ErrorCode::kConflict);
}

TEST_F(AccountsTest, RefusesNamesThatAreEmptyLongStrangeOrLikeAnId) {
  for (const std::string& name :
       {std::string(), std::string(65, 'a'), std::string("a/b"), std::string("a\nb"),
        std::string(" a"), std::string("a "), std::string("../x"), std::string("a\0b", 3),
        std::string("na\xc3\xafve"), RandomUuid()}) {
    EXPECT_EQ(CodeOf(accounts_->CreateOrganization(name)), ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(CodeOf(accounts_->CreateAccount(name, "")), ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(accounts_->CreateAccount(std::string(64, 'a'), ""));
  EXPECT_TRUE(accounts_->CreateAccount("a b-c_d.e@f", ""));
  EXPECT_EQ(CodeOf(accounts_->CreateAccount("x", "nowhere")), ErrorCode::kNotFound);
}

TEST_F(AccountsTest, AMovedAccountMayActInItsNewOrganizationOnly) {
  ASSERT_TRUE(accounts_->CreateOrganization("one"));
  ASSERT_TRUE(accounts_->CreateOrganization("two"));
  std::string alice = accounts_->CreateAccount("alice", "one")->id;
  std::string bob = accounts_->CreateAccount("bob", "one")->id;
  std::string carol = accounts_->CreateAccount("carol", "two")->id;
  EXPECT_TRUE(accounts_->MayActFor(alice, bob));
  EXPECT_FALSE(accounts_->MayActFor(alice, carol));
  ASSERT_TRUE(accounts_->MoveAccount("alice", "two"));
  EXPECT_FALSE(accounts_->MayActFor(alice, bob));
  EXPECT_TRUE(accounts_->MayActFor(carol, alice));
  EXPECT_TRUE(accounts_->MoveAccount(alice, "two")) << "it is there already";
}

TEST_F(AccountsTest, MovesNoUnknownAccountNowhereUnknownAndNotTheOperator) {
  ASSERT_TRUE(accounts_->CreateOrganization("one"));
  ASSERT_TRUE(accounts_->CreateAccount("alice", "one"));
  EXPECT_EQ(CodeOf(accounts_->MoveAccount("nobody", "one")), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(accounts_->MoveAccount("alice", "nowhere")), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(accounts_->MoveAccount("default", "one")), ErrorCode::kInvalidArgument);
}

TEST_F(AccountsTest, NobodyActsForUnknownOrEmptyAccounts) {
  EXPECT_TRUE(accounts_->MayActFor("default", "default"));
  EXPECT_FALSE(accounts_->MayActFor("", ""));
  EXPECT_FALSE(accounts_->MayActFor("default", ""));
  EXPECT_FALSE(accounts_->MayActFor("default", "nobody"));
  EXPECT_FALSE(accounts_->MayActFor("nobody", "default"));
}

TEST_F(AccountsTest, EveryAccountIsFoundByItsUuid) {
  std::string alice = accounts_->CreateAccount("alice", "")->id;
  EXPECT_EQ(accounts_->UuidOf(alice), alice);
  std::string uuid = accounts_->UuidOf(kDefaultAccount);
  EXPECT_TRUE(IsUuid(uuid));
  EXPECT_EQ(accounts_->UuidOf(kDefaultAccount), uuid);
  EXPECT_EQ(accounts_->FindByUuid(uuid)->id, kDefaultAccount);
  EXPECT_EQ(accounts_->FindByUuid(alice)->name, "alice");
  EXPECT_EQ(CodeOf(accounts_->FindByUuid(RandomUuid())), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(accounts_->FindByUuid("default")), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(accounts_->FindByUuid("")), ErrorCode::kNotFound);
}

TEST_F(AccountsTest, TheOnlyValidKeyIsNotRevoked) {
  auto first = accounts_->CreateKey(kDefaultAccount, "first");
  ASSERT_TRUE(first);
  Status refused = accounts_->RevokeKey(kDefaultAccount, first->record.id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().message.find("viv key rotate"), std::string::npos);
  auto second = accounts_->CreateKey(kDefaultAccount, "second");
  EXPECT_TRUE(accounts_->RevokeKey(kDefaultAccount, first->record.id));
  EXPECT_TRUE(accounts_->RevokeKey(kDefaultAccount, first->record.id));  // a second time: as before
  EXPECT_FALSE(accounts_->RevokeKey(kDefaultAccount, second->record.id));
  EXPECT_TRUE(accounts_->Authenticate(second->key));
}

TEST_F(AccountsTest, ARotatedKeyIsReplacedOrStaysValid) {
  auto first = accounts_->CreateKey(kDefaultAccount, "laptop");
  auto rotated = accounts_->RotateKey(kDefaultAccount, first->record.id, nullptr);
  ASSERT_TRUE(rotated);
  EXPECT_EQ(rotated->record.name, "laptop");
  EXPECT_FALSE(accounts_->Authenticate(first->key));
  EXPECT_TRUE(accounts_->Authenticate(rotated->key));
  EXPECT_FALSE(accounts_->RotateKey(kDefaultAccount, first->record.id, nullptr));

  std::string offered;
  auto failed = accounts_->RotateKey(kDefaultAccount, rotated->record.id,
                                     [&offered](const Accounts::NewKey& fresh) -> Status {
                                       offered = fresh.key;
                                       return Fail(ErrorCode::kUnavailable, "the disk is full");
                                     });
  EXPECT_FALSE(failed);
  EXPECT_TRUE(accounts_->Authenticate(rotated->key));
  EXPECT_FALSE(accounts_->Authenticate(offered));
}

}  // namespace
}  // namespace viv::accounts
