#pragma once
// What we persist, one interface per kind of record. A call that returned success is durable: a
// killed server or a lost power supply does not take it back. Any implementation passes
// store/contract_test.h unchanged. Thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "store/records.h"

namespace viv::store {

class AccountStore {
 public:
  virtual ~AccountStore() = default;
  // kConflict when the id or name exists.
  virtual Status CreateOrganization(const Organization& organization) = 0;
  // kConflict when the id exists; kNotFound without its organization.
  virtual Status CreateAccount(const Account& account) = 0;
  // Its name and organization become those given; kNotFound without the account or the
  // organization.
  virtual Status UpdateAccount(const Account& account) = 0;
  virtual Result<Account> GetAccount(std::string_view id) const = 0;
  // Both oldest first.
  virtual Result<std::vector<Account>> ListAccounts() const = 0;
  virtual Result<std::vector<Organization>> ListOrganizations() const = 0;
};

class KeyStore {
 public:
  virtual ~KeyStore() = default;
  // kConflict when the id or hash exists; kNotFound without its account.
  virtual Status CreateKey(const Key& key) = 0;
  // Answered from memory; kNotFound also when revoked.
  virtual Result<Key> FindKeyByHash(std::string_view hash) const = 0;
  // Revoked ones too, oldest first.
  virtual Result<std::vector<Key>> ListKeys(std::string_view account_id) const = 0;
  // kNotFound when that account has no such key. Revoking again is fine and keeps the first time.
  virtual Status RevokeKey(std::string_view account_id,
                           std::string_view id,
                           std::int64_t now_us) = 0;
};

// Reads are answered from memory: every live record is held there, ordered for listing. Writes go
// to disk in groups; each waits (without blocking its thread) until its group is durable.
class SandboxStore {
 public:
  virtual ~SandboxStore() = default;

  virtual Result<SandboxPtr> GetSandbox(std::string_view id) const = 0;
  virtual Result<SandboxPtr> GetSandboxByLease(std::string_view lease_id) const = 0;

  struct ListQuery {
    std::string account_id;
    std::string server;             // empty: any
    std::vector<std::string> tags;  // only those found by all of these words, see tag_words.h
    // nullptr: all. Called under a shared lock: must be quick and must not call the store.
    std::function<bool(const Sandbox&)> accept;
    std::size_t offset = 0;
    std::size_t limit = SIZE_MAX;
  };
  struct Page {
    std::vector<SandboxPtr> sandboxes;  // newest lease first (updated_at_us, id descending)
    std::size_t total = 0;              // matching ones in all
  };
  virtual Page ListSandboxes(const ListQuery& query) const = 0;

  // Takes the longest idle sandbox of `server` (the one of `email`, when given) and makes it
  // `occupied` with the fields of `lease`, but its own id, kind, email and creation time; when none
  // is idle, inserts `lease` as a new row (of the asked email). Exactly one caller gets a given
  // idle row. kLimitExceeded when the server already has `sandboxes_max` rows and none is idle;
  // kConflict when the asked email is held, or the new id, email or lease exists; kInvalidArgument
  // for a lease without server, account or lease id, or a new row without id.
  struct AcquireRequest {
    Sandbox lease;                     // id and email are used only when a new row is made
    std::optional<std::string> email;  // nullopt: any
    std::size_t sandboxes_max = SIZE_MAX;
  };
  virtual Task<Result<SandboxPtr>> Acquire(AcquireRequest request) = 0;

  // Replaces the row, all but its created_at_us, if its lease is still `lease_id` (empty: it has
  // none); kConflict otherwise, kNotFound when there is no such row. kInvalidArgument when kind,
  // server or email would change, when an idle row would keep a holder or lease, or an occupied one
  // would have none.
  virtual Task<Status> Update(Sandbox sandbox, std::string lease_id) = 0;

  // Rows whose lease ended at or before `now_us`, longest expired first.
  virtual std::vector<SandboxPtr> ExpiredAt(std::int64_t now_us, std::size_t limit) const = 0;
  virtual std::size_t CountSandboxes() const = 0;
  // Under a shared lock, in no order: `visit` must be quick and must not call the store.
  virtual void ForEachSandbox(const std::function<void(const Sandbox&)>& visit) const = 0;
};

// Not held in memory: an owner reads its documents once, at start, and keeps what it needs. A later
// write to the same id wins. Writes share the groups of SandboxStore.
class DocumentStore {
 public:
  virtual ~DocumentStore() = default;
  virtual Task<Status> PutDocument(Document document) = 0;
  virtual Task<Status> RemoveDocument(std::string kind, std::string id) = 0;  // also when absent
  // What is durable, in the order of ids. Reads the disk.
  virtual Result<std::vector<Document>> ListDocuments(std::string_view kind) const = 0;
};

// All of them together, as one backend opens them.
class Store : public AccountStore, public KeyStore, public SandboxStore, public DocumentStore {};

}  // namespace viv::store
