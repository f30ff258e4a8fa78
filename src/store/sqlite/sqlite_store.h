#pragma once
// The store in one SQLite file. Reads are answered from memory under a shared lock. A write is
// decided and applied in memory under the exclusive lock, so that of several callers exactly one
// wins, and then written by a thread that commits in groups; its caller is told after the commit.
// Until then others may see the new record, but a failed commit takes it back.
//
// Coroutines of any executor may call; the executors outlive the store.

#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/identity_index.h"
#include "store/sandbox_index.h"
#include "store/sqlite/database_file.h"
#include "store/sqlite/group_writer.h"
#include "store/store.h"

namespace viv::store {

struct SqliteStoreOptions {
  DatabaseOptions database;
  GroupWriter::Options writer;
};

class SqliteStore : public Store {
 public:
  using Options = SqliteStoreOptions;

  // Makes the file when there is none. kUnavailable when another server has it open, or it was
  // written by a newer one.
  static Result<std::unique_ptr<SqliteStore>> Open(const std::string& path, Options options = {});
  ~SqliteStore() override = default;  // after writing what is queued

  Status CreateOrganization(const Organization& organization) override;
  Status CreateAccount(const Account& account) override;
  Status UpdateAccount(const Account& account) override;
  Result<Account> GetAccount(std::string_view id) const override;
  Result<std::vector<Account>> ListAccounts() const override;
  Result<std::vector<Organization>> ListOrganizations() const override;

  Status CreateKey(const Key& key) override;
  Result<Key> FindKeyByHash(std::string_view hash) const override;
  Result<std::vector<Key>> ListKeys(std::string_view account_id) const override;
  Status RevokeKey(std::string_view account_id, std::string_view id, std::int64_t now_us) override;

  Result<SandboxPtr> GetSandbox(std::string_view id) const override;
  Result<SandboxPtr> GetSandboxByLease(std::string_view lease_id) const override;
  Page ListSandboxes(const ListQuery& query) const override;
  Task<Result<SandboxPtr>> Acquire(AcquireRequest request) override;
  Task<Status> Update(Sandbox sandbox, std::string lease_id) override;
  std::vector<SandboxPtr> ExpiredAt(std::int64_t now_us, std::size_t limit) const override;
  std::size_t CountSandboxes() const override;
  void ForEachSandbox(const std::function<void(const Sandbox&)>& visit) const override;

  Task<Status> PutDocument(Document document) override;
  Task<Status> RemoveDocument(std::string kind, std::string id) override;
  Result<std::vector<Document>> ListDocuments(std::string_view kind) const override;

 private:
  SqliteStore(UniqueFd lock, std::string path, DatabaseOptions options)
      : file_lock_(std::move(lock)), path_(std::move(path)), options_(options) {}

  Status Load(RecordRows& rows);
  template <typename Record>
  Status Create(const Record& record);
  // Under the exclusive lock, both: apply the change and queue it.
  void Begin(SandboxIndex::Change change, std::unique_ptr<Waiter> waiter);
  Task<Status> WriteDocuments(std::function<Status(RecordRows&)> write);
  Status QueueAndUnlock(std::unique_lock<std::shared_mutex> lock, GroupWriter::Change change);

  UniqueFd file_lock_;
  const std::string path_;
  const DatabaseOptions options_;
  mutable std::shared_mutex mutex_;  // guards the two below
  IdentityIndex identities_;
  SandboxIndex sandboxes_;
  std::unique_ptr<GroupWriter> writer_;  // last: its thread uses all of the above until joined
};

}  // namespace viv::store
