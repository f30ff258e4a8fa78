#include "store/sqlite/sqlite_store.h"

#include <future>
#include <mutex>
#include <utility>

namespace viv::store {

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& path, Options options) {
  ASSIGN_OR_RETURN(UniqueFd lock, LockDatabase(path));
  ASSIGN_OR_RETURN(db::Connection connection, OpenDatabase(path, options.database));
  ASSIGN_OR_RETURN(RecordRows rows, RecordRows::Prepare(std::move(connection)), "open " + path);
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(lock), path, options.database));
  RETURN_IF_ERROR(store->Load(rows), "read " + path);
  store->writer_ =
      std::make_unique<GroupWriter>(std::move(rows), store->mutex_, std::move(options.writer));
  return store;
}

Status SqliteStore::Load(RecordRows& rows) {
  auto put = [this](const auto& record) { identities_.Put(record); };
  RETURN_IF_ERROR(rows.ReadOrganizations(put), "organizations");
  RETURN_IF_ERROR(rows.ReadAccounts(put), "accounts");
  RETURN_IF_ERROR(rows.ReadKeys(put), "keys");
  auto insert = [this](Sandbox sandbox) {
    sandboxes_.Replace(nullptr, std::make_shared<const Sandbox>(std::move(sandbox)));
  };
  RETURN_IF_ERROR(rows.ReadSandboxes(insert), "sandboxes");
  return {};
}

// The lock is given up while waiting: the writer needs it to undo.
Status SqliteStore::QueueAndUnlock(std::unique_lock<std::shared_mutex> lock,
                                   GroupWriter::Change change) {
  std::promise<Status> promise;
  std::future<Status> done = promise.get_future();
  change.waiter = std::make_unique<BlockingWaiter>(std::move(promise));
  writer_->Enqueue(std::move(change));
  lock.unlock();
  return done.get();
}

template <typename Record>
Status SqliteStore::Create(const Record& record) {
  std::unique_lock lock(mutex_);
  RETURN_IF_ERROR(identities_.CheckNew(record));
  RETURN_IF_ERROR(writer_->CheckQueueLimit());
  identities_.Put(record);
  GroupWriter::Change change;
  change.write = [record](RecordRows& rows) { return rows.Write(record); };
  change.undo = [this, record] { identities_.Remove(record); };
  return QueueAndUnlock(std::move(lock), std::move(change));
}

Status SqliteStore::CreateOrganization(const Organization& organization) {
  return Create(organization);
}

Status SqliteStore::CreateAccount(const Account& account) {
  return Create(account);
}

Status SqliteStore::UpdateAccount(const Account& account) {
  std::unique_lock lock(mutex_);
  ASSIGN_OR_RETURN(const Account before, identities_.GetAccount(account.id));
  ASSIGN_OR_RETURN(const Account after, identities_.PlanUpdate(account));
  RETURN_IF_ERROR(writer_->CheckQueueLimit());
  identities_.Put(after);
  GroupWriter::Change change;
  change.write = [after](RecordRows& rows) { return rows.Write(after); };
  change.undo = [this, before] { identities_.Put(before); };
  return QueueAndUnlock(std::move(lock), std::move(change));
}

Status SqliteStore::CreateKey(const Key& key) {
  return Create(key);
}

Status SqliteStore::RevokeKey(std::string_view account_id,
                              std::string_view id,
                              std::int64_t now_us) {
  std::unique_lock lock(mutex_);
  ASSIGN_OR_RETURN(const Key before, identities_.GetKey(account_id, id));
  RETURN_IF_ERROR(writer_->CheckQueueLimit());
  Key after = before;
  // A second revocation is written too: the first may not be durable yet.
  if (!after.revoked_at_us) after.revoked_at_us = now_us;
  identities_.Put(after);
  GroupWriter::Change change;
  change.write = [after](RecordRows& rows) { return rows.Write(after); };
  change.undo = [this, before] { identities_.Put(before); };
  return QueueAndUnlock(std::move(lock), std::move(change));
}

Result<Account> SqliteStore::GetAccount(std::string_view id) const {
  std::shared_lock lock(mutex_);
  return identities_.GetAccount(id);
}

Result<std::vector<Account>> SqliteStore::ListAccounts() const {
  std::shared_lock lock(mutex_);
  return identities_.Accounts();
}

Result<std::vector<Organization>> SqliteStore::ListOrganizations() const {
  std::shared_lock lock(mutex_);
  return identities_.Organizations();
}

Result<Key> SqliteStore::FindKeyByHash(std::string_view hash) const {
  std::shared_lock lock(mutex_);
  return identities_.FindKeyByHash(hash);
}

Result<std::vector<Key>> SqliteStore::ListKeys(std::string_view account_id) const {
  std::shared_lock lock(mutex_);
  return identities_.KeysOf(account_id);
}

Result<SandboxPtr> SqliteStore::GetSandbox(std::string_view id) const {
  std::shared_lock lock(mutex_);
  SandboxPtr found = sandboxes_.Find(id);
  if (found != nullptr) return found;
  return Fail(ErrorCode::kNotFound, "sandbox " + std::string(id) + " does not exist");
}

Result<SandboxPtr> SqliteStore::GetSandboxByLease(std::string_view lease_id) const {
  std::shared_lock lock(mutex_);
  SandboxPtr found = sandboxes_.FindByLease(lease_id);
  if (found != nullptr) return found;
  // The lease is a capability, so the message does not repeat it.
  return Fail(ErrorCode::kNotFound, "no sandbox has this lease");
}

SandboxStore::Page SqliteStore::ListSandboxes(const ListQuery& query) const {
  std::shared_lock lock(mutex_);
  return sandboxes_.List(query);
}

std::vector<SandboxPtr> SqliteStore::ExpiredAt(std::int64_t now_us, std::size_t limit) const {
  std::shared_lock lock(mutex_);
  return sandboxes_.ExpiredAt(now_us, limit);
}

std::size_t SqliteStore::CountSandboxes() const {
  std::shared_lock lock(mutex_);
  return sandboxes_.size();
}

void SqliteStore::ForEachSandbox(const std::function<void(const Sandbox&)>& visit) const {
  std::shared_lock lock(mutex_);
  sandboxes_.ForEach(visit);
}

void SqliteStore::Begin(SandboxIndex::Change change, std::unique_ptr<Waiter> waiter) {
  if (Status room = writer_->CheckQueueLimit(); !room) return waiter->Done(std::move(room));
  sandboxes_.Replace(change.before, change.after);
  GroupWriter::Change queued;
  queued.write = [after = change.after](RecordRows& rows) { return rows.Write(*after); };
  queued.undo = [this, change = std::move(change)] {
    sandboxes_.Replace(change.after, change.before);
  };
  queued.waiter = std::move(waiter);
  writer_->Enqueue(std::move(queued));
}

// Nothing is held in memory, so nothing is undone.
Task<Status> SqliteStore::WriteDocuments(std::function<Status(RecordRows&)> write) {
  std::function<void(std::unique_ptr<Waiter>)> begin = [&](std::unique_ptr<Waiter> waiter) {
    std::unique_lock lock(mutex_);
    if (Status room = writer_->CheckQueueLimit(); !room) return waiter->Done(std::move(room));
    GroupWriter::Change change;
    change.write = std::move(write);
    change.undo = [] {};
    change.waiter = std::move(waiter);
    writer_->Enqueue(std::move(change));
  };
  co_return co_await UntilDone(begin);
}

Task<Status> SqliteStore::PutDocument(Document document) {
  std::function<Status(RecordRows&)> write = [document = std::move(document)](RecordRows& rows) {
    return rows.Write(document);
  };
  co_return co_await WriteDocuments(std::move(write));
}

Task<Status> SqliteStore::RemoveDocument(std::string kind, std::string id) {
  std::function<Status(RecordRows&)> write = [kind = std::move(kind),
                                              id = std::move(id)](RecordRows& rows) {
    return rows.RemoveDocument(kind, id);
  };
  co_return co_await WriteDocuments(std::move(write));
}

Result<std::vector<Document>> SqliteStore::ListDocuments(std::string_view kind) const {
  ASSIGN_OR_RETURN(db::Connection connection, OpenDatabase(path_, options_));
  std::vector<Document> documents;
  auto keep = [&documents](Document document) { documents.push_back(std::move(document)); };
  RETURN_IF_ERROR(RecordRows::ReadDocuments(connection, kind, keep), "read " + path_);
  return documents;
}

Task<Result<SandboxPtr>> SqliteStore::Acquire(AcquireRequest request) {
  SandboxPtr acquired;
  std::function<void(std::unique_ptr<Waiter>)> begin = [&](std::unique_ptr<Waiter> waiter) {
    std::unique_lock lock(mutex_);
    auto change = sandboxes_.PlanAcquire(std::move(request));
    if (!change) return waiter->Done(PassUp(std::move(change).error()));
    acquired = change->after;
    Begin(*std::move(change), std::move(waiter));
  };
  Status written = co_await UntilDone(begin);
  if (!written) co_return PassUp(std::move(written).error());
  co_return acquired;
}

Task<Status> SqliteStore::Update(Sandbox sandbox, std::string lease_id) {
  std::function<void(std::unique_ptr<Waiter>)> begin = [&](std::unique_ptr<Waiter> waiter) {
    std::unique_lock lock(mutex_);
    auto change = sandboxes_.PlanUpdate(std::move(sandbox), lease_id);
    if (!change) return waiter->Done(PassUp(std::move(change).error()));
    Begin(*std::move(change), std::move(waiter));
  };
  co_return co_await UntilDone(begin);
}

}  // namespace viv::store
