#pragma once
// The contract of organizations, accounts and keys. Included by store/contract_test.h.

#include "store/contract/fixture.h"

namespace viv::store {

class AccountContract : public StoreContract {
 protected:
  AccountContract() {
    EXPECT_TRUE(store().CreateOrganization({"o1", "Example", 1}));
    EXPECT_TRUE(store().CreateAccount({"a1", "o1", "Alice", 2}));
    EXPECT_TRUE(store().CreateAccount({"a2", "o1", "Bob", 3}));
  }
};

inline Key MakeKey(const std::string& id, const std::string& account, std::int64_t now_us) {
  return {id, account, "key " + id, "hash-" + id, "viv_" + id, now_us, std::nullopt};
}

TEST_P(AccountContract, KeepsAccountsAndOrganizationsAcrossAReopen) {
  Reopen();
  auto account = store().GetAccount("a2");
  ASSERT_TRUE(account);
  EXPECT_EQ(account->organization_id, "o1");
  EXPECT_EQ(account->name, "Bob");
  EXPECT_EQ(account->created_at_us, 3);
  auto organizations = store().ListOrganizations();
  ASSERT_TRUE(organizations);
  ASSERT_EQ(organizations->size(), 1U);
  EXPECT_EQ(organizations->front().name, "Example");
}

TEST_P(AccountContract, ListsAccountsOldestFirst) {
  ASSERT_TRUE(store().CreateAccount({"a0", "o1", "Zoe", 1}));
  auto accounts = store().ListAccounts();
  ASSERT_TRUE(accounts);
  std::vector<std::string> ids;
  for (const Account& account : *accounts) ids.push_back(account.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"a0", "a1", "a2"}));
}

TEST_P(AccountContract, RefusesASecondOrganizationOfTheSameIdOrName) {
  EXPECT_TRUE(FailedWith(store().CreateOrganization({"o1", "Other", 1}), ErrorCode::kConflict));
  EXPECT_TRUE(FailedWith(store().CreateOrganization({"o2", "Example", 1}), ErrorCode::kConflict));
  EXPECT_EQ(store().ListOrganizations()->size(), 1U);
}

TEST_P(AccountContract, RefusesRecordsWithoutAnId) {
  auto invalid = ErrorCode::kInvalidArgument;
  EXPECT_TRUE(FailedWith(store().CreateOrganization({"", "Other", 1}), invalid));
  EXPECT_TRUE(FailedWith(store().CreateAccount({"", "o1", "Carol", 1}), invalid));
  EXPECT_TRUE(FailedWith(store().CreateKey(MakeKey("", "a1", 1)), invalid));
  Key without_hash = MakeKey("k1", "a1", 1);
  without_hash.hash.clear();
  EXPECT_TRUE(FailedWith(store().CreateKey(without_hash), invalid));
}

TEST_P(AccountContract, RefusesAnAccountThatExistsOrHasNoOrganization) {
  EXPECT_TRUE(FailedWith(store().CreateAccount({"a1", "o1", "X", 1}), ErrorCode::kConflict));
  EXPECT_TRUE(FailedWith(store().CreateAccount({"a9", "o9", "X", 1}), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().GetAccount("a9"), ErrorCode::kNotFound));
}

TEST_P(AccountContract, AnAccountMovesToAnotherOrganizationForGood) {
  ASSERT_TRUE(store().CreateOrganization({"o2", "Other", 4}));
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 7)));
  ASSERT_TRUE(store().UpdateAccount({"a1", "o2", "Alicia", 99}));
  for (int round = 0; round < 2; ++round, Reopen()) {
    auto account = store().GetAccount("a1");
    ASSERT_TRUE(account);
    EXPECT_EQ(account->organization_id, "o2");
    EXPECT_EQ(account->name, "Alicia");
    EXPECT_EQ(account->created_at_us, 2) << "it stays as old as it is";
    EXPECT_EQ(store().GetAccount("a2")->organization_id, "o1");
    EXPECT_EQ(store().ListAccounts()->size(), 2U);
    EXPECT_TRUE(store().FindKeyByHash("hash-k1"));
  }
}

TEST_P(AccountContract, RefusesToChangeAnAbsentAccountOrToUseAnAbsentOrganization) {
  EXPECT_TRUE(FailedWith(store().UpdateAccount({"a9", "o1", "X", 1}), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().UpdateAccount({"a1", "o9", "X", 1}), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().UpdateAccount({"", "o1", "X", 1}), ErrorCode::kNotFound));
  EXPECT_EQ(store().ListAccounts()->size(), 2U);
  EXPECT_EQ(store().GetAccount("a1")->organization_id, "o1");
  EXPECT_EQ(store().GetAccount("a1")->name, "Alice");
}

TEST_P(AccountContract, FindsAKeyByItsHashAcrossAReopen) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 7)));
  for (int round = 0; round < 2; ++round, Reopen()) {
    auto key = store().FindKeyByHash("hash-k1");
    ASSERT_TRUE(key);
    EXPECT_EQ(std::tie(key->id, key->account_id, key->name, key->prefix, key->created_at_us),
              std::make_tuple("k1", "a1", "key k1", "viv_k1", 7));
    EXPECT_TRUE(FailedWith(store().FindKeyByHash("hash-k2"), ErrorCode::kNotFound));
    EXPECT_TRUE(FailedWith(store().FindKeyByHash(""), ErrorCode::kNotFound));
  }
}

TEST_P(AccountContract, RefusesAKeyThatExistsOrHasNoAccount) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 1)));
  Key same_hash = MakeKey("k2", "a1", 1);
  same_hash.hash = "hash-k1";
  EXPECT_TRUE(FailedWith(store().CreateKey(MakeKey("k1", "a2", 1)), ErrorCode::kConflict));
  EXPECT_TRUE(FailedWith(store().CreateKey(same_hash), ErrorCode::kConflict));
  EXPECT_TRUE(FailedWith(store().CreateKey(MakeKey("k3", "a9", 1)), ErrorCode::kNotFound));
}

TEST_P(AccountContract, ListsAnAccountsKeysOldestFirstWithTheRevokedOnes) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k2", "a1", 20)));
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 30)));
  ASSERT_TRUE(store().CreateKey(MakeKey("k3", "a2", 10)));
  ASSERT_TRUE(store().RevokeKey("a1", "k2", 40));
  auto keys = store().ListKeys("a1");
  ASSERT_TRUE(keys);
  ASSERT_EQ(keys->size(), 2U);
  EXPECT_EQ((*keys)[0].id, "k2");
  EXPECT_EQ((*keys)[0].revoked_at_us, 40);
  EXPECT_EQ((*keys)[1].id, "k1");
  EXPECT_EQ(store().ListKeys("a9")->size(), 0U);
}

TEST_P(AccountContract, ARevokedKeyIsNotFoundAnyMore) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 1)));
  ASSERT_TRUE(store().RevokeKey("a1", "k1", 5));
  EXPECT_TRUE(FailedWith(store().FindKeyByHash("hash-k1"), ErrorCode::kNotFound));
  Reopen();
  EXPECT_TRUE(FailedWith(store().FindKeyByHash("hash-k1"), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().CreateKey(MakeKey("k1", "a1", 1)), ErrorCode::kConflict));
}

TEST_P(AccountContract, RevokingTwiceIsFineAndKeepsTheFirstTime) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 1)));
  EXPECT_TRUE(store().RevokeKey("a1", "k1", 5));
  EXPECT_TRUE(store().RevokeKey("a1", "k1", 6));
  Reopen();
  EXPECT_EQ(store().ListKeys("a1")->front().revoked_at_us, 5);
}

TEST_P(AccountContract, RevokesNoUnknownKeyAndNoneOfAnotherAccount) {
  ASSERT_TRUE(store().CreateKey(MakeKey("k1", "a1", 1)));
  EXPECT_TRUE(FailedWith(store().RevokeKey("a1", "k9", 5), ErrorCode::kNotFound));
  EXPECT_TRUE(FailedWith(store().RevokeKey("a2", "k1", 5), ErrorCode::kNotFound));
  EXPECT_TRUE(store().FindKeyByHash("hash-k1"));
}

}  // namespace viv::store
