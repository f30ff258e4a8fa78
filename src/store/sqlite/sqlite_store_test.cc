#include "store/sqlite/sqlite_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "store/contract_test.h"
#include "store/sqlite/test_support.h"

namespace viv::store {
namespace {

class SqliteFactory : public StoreFactory {
 public:
  Result<std::unique_ptr<Store>> Open() override {
    ASSIGN_OR_RETURN(std::unique_ptr<Store> store, SqliteStore::Open(directory_.File("viv.db")));
    return store;
  }

 private:
  TempDirectory directory_;
};

const auto kFactory = ::testing::Values(MakeStoreFactory(std::make_unique<SqliteFactory>));
std::string Named(const ::testing::TestParamInfo<MakeStoreFactory>&) {
  return "Sqlite";
}

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, kFactory, Named);
INSTANTIATE_TEST_SUITE_P(Sqlite, AccountContract, kFactory, Named);
INSTANTIATE_TEST_SUITE_P(Sqlite, ListingContract, kFactory, Named);
INSTANTIATE_TEST_SUITE_P(Sqlite, RaceContract, kFactory, Named);
INSTANTIATE_TEST_SUITE_P(Sqlite, DocumentContract, kFactory, Named);

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> MustOpen() {
    auto store = SqliteStore::Open(path_);
    EXPECT_TRUE(store) << store.error().message;
    return store ? *std::move(store) : nullptr;
  }
  void ExpectRefused(ErrorCode code, std::string_view reason) {
    auto store = SqliteStore::Open(path_);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, code);
    EXPECT_NE(store.error().message.find(reason), std::string::npos) << store.error().message;
    EXPECT_NE(store.error().message.find(path_), std::string::npos) << store.error().message;
  }
  void ExecuteInFile(std::string_view sql) {
    auto connection = db::Connection::Open(path_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->Execute(sql));
  }
  mode_t ModeOf(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
  }

  TempDirectory directory_;
  const std::string path_ = directory_.File("viv.db");
};

TEST_F(SqliteStoreTest, KeepsItsFilesToTheOwner) {
  std::ofstream(path_).close();  // an existing file that everyone may read
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  auto store = MustOpen();
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    EXPECT_EQ(ModeOf(path_ + suffix), 0600U) << suffix;
  }
}

TEST_F(SqliteStoreTest, RefusesAMissingDirectory) {
  auto store = SqliteStore::Open(directory_.File("none/viv.db"));
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(store.error().message.find("No such file or directory"), std::string::npos);
}

TEST_F(SqliteStoreTest, RefusesAFileThatIsNoDatabase) {
  std::ofstream(path_) << std::string(10'000, 'x');
  ExpectRefused(ErrorCode::kInternal, "file is not a database");
}

TEST_F(SqliteStoreTest, RefusesADatabaseWithDamagedPages) {
  MustOpen();
  const auto size = std::filesystem::file_size(path_);
  ASSERT_GT(size, 8192U);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);  // the first page, with the schema, stays
  file << std::string(size - 4096, '\xff');
  file.close();
  ExpectRefused(ErrorCode::kInternal, "malformed");
}

TEST_F(SqliteStoreTest, RefusesTheDatabaseOfANewerServer) {
  MustOpen();
  ExecuteInFile("INSERT INTO schema_migration VALUES (99, 'future', 'x', 'later')");
  ExpectRefused(ErrorCode::kUnavailable, "newer version");
}

TEST_F(SqliteStoreTest, IsOpenInOneServerAtATime) {
  auto store = MustOpen();
  ExpectRefused(ErrorCode::kUnavailable, "is in use by another viv server");
  store.reset();
  EXPECT_NE(MustOpen(), nullptr);
}

TEST_F(SqliteStoreTest, AnotherProcessIsRefusedToo) {
  int ready[2], leave[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(leave), 0);
  char byte = 0;
  const pid_t child = Fork([&] {
    auto store = SqliteStore::Open(path_);
    return store && ::write(ready[1], "r", 1) == 1 && ::read(leave[0], &byte, 1) == 1 ? 0 : 1;
  });
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ExpectRefused(ErrorCode::kUnavailable, "is in use by another viv server");
  ASSERT_EQ(::write(leave[1], "l", 1), 1);
  EXPECT_EQ(ExitStatus(child), 0);
  EXPECT_NE(MustOpen(), nullptr);
  for (int fd : {ready[0], ready[1], leave[0], leave[1]}) ::close(fd);
}

TEST_F(SqliteStoreTest, AKilledServerLosesNothingItAcknowledged) {
  int pipe_fds[2];
  ASSERT_EQ(::pipe(pipe_fds), 0);
  const pid_t child = Fork([&] {
    auto store = SqliteStore::Open(path_);
    if (!store) return 1;
    for (int number = 0; number < 100'000; ++number) {
      if (!Wait((*store)->Acquire(Request("slack", number)))) return 2;
      if (::write(pipe_fds[1], &number, sizeof number) != sizeof number) return 3;
    }
    return 0;
  });
  ::close(pipe_fds[1]);
  int last = -1;
  while (last < 50 && ::read(pipe_fds[0], &last, sizeof last) == sizeof last) {
  }
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  while (::read(pipe_fds[0], &last, sizeof last) == sizeof last) {  // acknowledged meanwhile
  }
  ::close(pipe_fds[0]);
  EXPECT_EQ(ExitStatus(child), -1);
  ASSERT_GE(last, 50);
  auto store = MustOpen();
  for (int number = 0; number <= last; ++number) {
    EXPECT_TRUE(store->GetSandboxByLease("lease-slack-" + std::to_string(number))) << number;
  }
}

// Acquires under a limit on the size of files until one fails, then without. Its result is the
// number of the failed one, 0 when anything was otherwise than it should be.
int AcquireUntilTheDiskIsFull(const std::string& path) {
  auto store = SqliteStore::Open(path);
  if (!store) return 0;
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const struct rlimit tight = {300'000, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  for (int number = 1; number < 200; ++number) {
    auto acquired = Wait((*store)->Acquire(Request("slack", number)));
    if (acquired) continue;
    const bool taken_back = (*store)->CountSandboxes() == static_cast<std::size_t>(number) - 1;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool usable = Wait((*store)->Acquire(Request("slack", 1000))).has_value();
    const bool unavailable = acquired.error().code == ErrorCode::kUnavailable;
    return taken_back && usable && unavailable ? number : 0;
  }
  return 0;
}

TEST_F(SqliteStoreTest, AFullDiskTakesBackWhatFailedAndKeepsTheRest) {
  const int failed = ExitStatus(Fork([&] { return AcquireUntilTheDiskIsFull(path_); }));
  ASSERT_GT(failed, 1);
  auto store = MustOpen();
  EXPECT_EQ(store->CountSandboxes(), static_cast<std::size_t>(failed));
  EXPECT_TRUE(store->GetSandbox("id-slack-1"));
  EXPECT_TRUE(store->GetSandbox("id-slack-" + std::to_string(failed - 1)));
  EXPECT_FALSE(store->GetSandbox("id-slack-" + std::to_string(failed)));
  EXPECT_TRUE(store->GetSandbox("id-slack-1000"));
}

TEST_F(SqliteStoreTest, WorksWithNormalDurabilityToo) {
  SqliteStore::Options options;
  options.database.durability = Durability::kNormal;
  auto store = SqliteStore::Open(path_, options);
  ASSERT_TRUE(store);
  ASSERT_TRUE(Wait((*store)->Acquire(Request("slack", 1))));
  store->reset();
  EXPECT_EQ(MustOpen()->CountSandboxes(), 1U);
}

}  // namespace
}  // namespace viv::store
