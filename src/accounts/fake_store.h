#pragma once
// A store in memory for tests of what stands on it: accounts, keys and documents, and writes that
// fail on demand. Of leases it has none.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace viv::accounts {

class FakeStore : public store::Store {
 public:
  std::vector<store::Account> accounts;
  std::vector<store::Key> keys;
  std::map<std::pair<std::string, std::string>, store::Document> documents;
  std::optional<Error> failure;  // of the next write of a document
  bool is_broken = false;        // no document can be written

  Status CreateOrganization(const store::Organization&) override { return {}; }
  Status CreateAccount(const store::Account&) override { return {}; }
  Status UpdateAccount(const store::Account&) override { return None(); }
  Result<store::Account> GetAccount(std::string_view id) const override {
    for (const store::Account& account : accounts)
      if (account.id == id) return account;
    return None();
  }
  Result<std::vector<store::Account>> ListAccounts() const override { return accounts; }
  Result<std::vector<store::Organization>> ListOrganizations() const override {
    return std::vector<store::Organization>();
  }

  Status CreateKey(const store::Key& key) override {
    keys.push_back(key);
    return {};
  }
  Result<store::Key> FindKeyByHash(std::string_view hash) const override {
    for (const store::Key& key : keys)
      if (key.hash == hash) return key;
    return None();
  }
  Result<std::vector<store::Key>> ListKeys(std::string_view account_id) const override {
    std::vector<store::Key> own;
    for (const store::Key& key : keys)
      if (key.account_id == account_id) own.push_back(key);
    return own;
  }
  Status RevokeKey(std::string_view account_id, std::string_view id, std::int64_t now_us) override {
    for (store::Key& key : keys) {
      if (key.account_id != account_id || key.id != id) continue;
      key.revoked_at_us = now_us;
      return {};
    }
    return None();
  }

  Result<store::SandboxPtr> GetSandbox(std::string_view) const override { return None(); }
  Result<store::SandboxPtr> GetSandboxByLease(std::string_view) const override { return None(); }
  Page ListSandboxes(const ListQuery&) const override { return {}; }
  Task<Result<store::SandboxPtr>> Acquire(AcquireRequest) override { co_return None(); }
  Task<Status> Update(store::Sandbox, std::string) override { co_return None(); }
  std::vector<store::SandboxPtr> ExpiredAt(std::int64_t, std::size_t) const override { return {}; }
  std::size_t CountSandboxes() const override { return 0; }
  void ForEachSandbox(const std::function<void(const store::Sandbox&)>&) const override {}

  Task<Status> PutDocument(store::Document document) override {
    if (auto error = TakeFailure()) co_return PassUp(*error);
    auto key = std::make_pair(document.kind, document.id);
    documents[key] = std::move(document);
    co_return Status();
  }
  Task<Status> RemoveDocument(std::string kind, std::string id) override {
    if (auto error = TakeFailure()) co_return PassUp(*error);
    documents.erase(std::make_pair(kind, id));
    co_return Status();
  }
  Result<std::vector<store::Document>> ListDocuments(std::string_view kind) const override {
    std::vector<store::Document> found;
    for (const auto& [key, document] : documents)
      if (key.first == kind) found.push_back(document);
    return found;
  }

 private:
  static tl::unexpected<Error> None() { return Fail(ErrorCode::kNotFound, "no such record"); }
  std::optional<Error> TakeFailure() {
    if (is_broken) return Error{ErrorCode::kUnavailable, "the disk is full"};
    return std::exchange(failure, std::nullopt);
  }
};

}  // namespace viv::accounts
