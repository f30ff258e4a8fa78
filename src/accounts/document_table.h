#pragma once
// A table of small JSON documents of one kind, such as the credentials of registries or the runs of
// commands. All of them are in memory; writes go through to the store. Thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "store/store.h"

namespace viv::accounts {

class DocumentTable {
 public:
  struct Entry {
    std::string id;
    std::string account_id;
    json::value body;
  };
  using EntryPtr = std::shared_ptr<const Entry>;  // shared: it never changes

  // `kind` names the records in the store, "langsmith.registry"; nobody else writes it.
  static Result<std::unique_ptr<DocumentTable>> Load(store::DocumentStore& store, std::string kind);

  EntryPtr Find(std::string_view id) const;  // nullptr when there is none
  // A document of another account is treated as missing.
  EntryPtr Find(std::string_view account_id, std::string_view id) const;
  std::vector<EntryPtr> List(std::string_view account_id) const;  // by id
  std::vector<EntryPtr> All() const;
  Task<Status> Put(Entry entry);  // visible once it is durable; the last one wins
  Task<Status> Remove(std::string id);

 private:
  DocumentTable(store::DocumentStore& store, std::string kind)
      : store_(store), kind_(std::move(kind)) {}

  store::DocumentStore& store_;
  const std::string kind_;
  mutable std::shared_mutex mutex_;  // guards the one below
  std::map<std::string, EntryPtr, std::less<>> entries_;
};

}  // namespace viv::accounts
