#include "accounts/document_table.h"

#include <mutex>

#include "base/log.h"

namespace viv::accounts {

Result<std::unique_ptr<DocumentTable>> DocumentTable::Load(store::DocumentStore& store,
                                                           std::string kind) {
  ASSIGN_OR_RETURN(auto documents, store.ListDocuments(kind));
  std::unique_ptr<DocumentTable> table(new DocumentTable(store, std::move(kind)));
  for (const store::Document& document : documents) {
    auto body = ParseJson(document.body);
    if (!body) {
      log::Error("record.unreadable", {{"kind", table->kind_}, {"id", document.id}});
      continue;
    }
    Entry entry{document.id, document.account_id, *std::move(body)};
    table->entries_[document.id] = std::make_shared<const Entry>(std::move(entry));
  }
  return table;
}

DocumentTable::EntryPtr DocumentTable::Find(std::string_view id) const {
  std::shared_lock lock(mutex_);
  auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second;
}

DocumentTable::EntryPtr DocumentTable::Find(std::string_view account_id,
                                            std::string_view id) const {
  EntryPtr found = Find(id);
  return found != nullptr && found->account_id == account_id ? found : nullptr;
}

std::vector<DocumentTable::EntryPtr> DocumentTable::List(std::string_view account_id) const {
  std::vector<EntryPtr> list;
  std::shared_lock lock(mutex_);
  for (const auto& [id, entry] : entries_)
    if (entry->account_id == account_id) list.push_back(entry);
  return list;
}

std::vector<DocumentTable::EntryPtr> DocumentTable::All() const {
  std::vector<EntryPtr> list;
  std::shared_lock lock(mutex_);
  for (const auto& [id, entry] : entries_) list.push_back(entry);
  return list;
}

Task<Status> DocumentTable::Put(Entry entry) {
  auto shared = std::make_shared<const Entry>(std::move(entry));
  store::Document document{kind_, shared->id, shared->account_id, WriteJson(shared->body)};
  CO_RETURN_IF_ERROR(co_await store_.PutDocument(std::move(document)));
  std::unique_lock lock(mutex_);
  entries_[shared->id] = shared;
  co_return Status();
}

Task<Status> DocumentTable::Remove(std::string id) {
  CO_RETURN_IF_ERROR(co_await store_.RemoveDocument(kind_, id));
  std::unique_lock lock(mutex_);
  entries_.erase(id);
  co_return Status();
}

}  // namespace viv::accounts
