#include "server/server_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/ids.h"
#include "store/sqlite/sqlite_store.h"

namespace viv::server {
namespace {

class ServerKeyTest : public testing::Test {
 protected:
  ServerKeyTest() {
    settings_.data = testing::TempDir() + "viv-kept-key-" + RandomHex(8);
    std::filesystem::create_directories(settings_.data);
    auto opened = store::SqliteStore::Open(settings_.data + "/viv.db", {});
    EXPECT_TRUE(opened);
    store_ = *std::move(opened);
    accounts_ = std::make_unique<accounts::Accounts>(*store_);
  }
  ~ServerKeyTest() override {
    accounts_.reset();
    store_.reset();
    std::filesystem::remove_all(settings_.data);
  }
  std::string FileText() const {
    std::ifstream in(settings_.data + "/key");
    std::string text;
    std::getline(in, text);
    return text;
  }
  std::string IdOf(const std::string& key) const {
    auto found = accounts_->Authenticate(key);
    return found ? found->id : "";
  }

  Settings settings_;
  std::unique_ptr<store::SqliteStore> store_;
  std::unique_ptr<accounts::Accounts> accounts_;
};

TEST_F(ServerKeyTest, ARotatedKeyIsReplacedInTheFileAgainAndAgain) {
  auto server_key = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(server_key);
  std::string key = (*server_key)->key();
  EXPECT_EQ(FileText(), key);
  for (int i = 0; i < 2; ++i) {
    const std::string id = IdOf(key);
    auto fresh = accounts_->RotateKey(accounts::kDefaultAccount, id, [&](const auto& made) {
      return (*server_key)->Replace(id, made);
    });
    ASSERT_TRUE(fresh);
    EXPECT_EQ(FileText(), fresh->key);
    EXPECT_TRUE(IdOf(key).empty());
    key = fresh->key;
  }
  struct stat about {};
  ASSERT_EQ(::stat((settings_.data + "/key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  auto again = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->key(), key);
}

TEST_F(ServerKeyTest, AnotherKeyLeavesTheFileAlone) {
  auto server_key = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(server_key);
  auto other = accounts_->CreateKey(accounts::kDefaultAccount, "other");
  EXPECT_TRUE((*server_key)->Replace(other->record.id, *other));
  EXPECT_EQ(FileText(), (*server_key)->key());
}

TEST_F(ServerKeyTest, AGivenKeyIsNotRotatedAndARevokedOneDoesNotStart) {
  settings_.key = "chosen-by-the-operator";
  auto server_key = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(server_key);
  EXPECT_TRUE((*server_key)->file().empty());
  auto other = accounts_->CreateKey(accounts::kDefaultAccount, "other");
  const std::string id = IdOf(settings_.key);
  Status refused = (*server_key)->Replace(id, *other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  ASSERT_TRUE(accounts_->RevokeKey(accounts::kDefaultAccount, id));
  EXPECT_FALSE(ServerKey::Open(settings_, *accounts_));
}

TEST_F(ServerKeyTest, ARevokedKeyOfTheFileIsNotOfferedAndALockedServerMakesOne) {
  auto server_key = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(server_key);
  auto other = accounts_->CreateKey(accounts::kDefaultAccount, "other");
  ASSERT_TRUE(accounts_->RevokeKey(accounts::kDefaultAccount, IdOf((*server_key)->key())));
  auto revoked = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(revoked);
  EXPECT_TRUE((*revoked)->key().empty());
  // As a server of before could be left: no valid key at all.
  ASSERT_TRUE(store_->RevokeKey(accounts::kDefaultAccount, other->record.id, 1));
  auto made = ServerKey::Open(settings_, *accounts_);
  ASSERT_TRUE(made);
  EXPECT_FALSE((*made)->key().empty());
  EXPECT_EQ(FileText(), (*made)->key());
  EXPECT_FALSE(IdOf((*made)->key()).empty());
}

}  // namespace
}  // namespace viv::server
