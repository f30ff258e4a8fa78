#include "engine/comparison.h"

#include "engine/functions/functions.h"
#include "engine/page_vfs.h"
#include "engine/read_only_guard.h"

namespace viv::engine {

Result<std::unique_ptr<Comparison>> Comparison::Open(Purpose purpose) {
  ASSIGN_OR_RETURN(db::Connection connection, OpenPageConnection());
  RETURN_IF_ERROR(connection.Execute("ATTACH 'base' AS base"));
  if (purpose == Purpose::kExpectations) {
    RETURN_IF_ERROR(RegisterFunctions(connection.get()));
    RETURN_IF_ERROR(PrepareReadOnly(connection.get()));
  }
  return std::unique_ptr<Comparison>(new Comparison(std::move(connection)));
}

Comparison::~Comparison() {
  // Statements go before their connection; sqlite3_close_v2 would otherwise keep it as a zombie.
  prepared_.clear();
}

void Comparison::Attach(const Pages* before, const Pages* after) {
  AttachPagesReadOnly(connection_, after, "main");
  AttachPagesReadOnly(connection_, before, "base");
}

Comparisons::Lease::~Lease() {
  if (comparison_ == nullptr) return;
  if (sqlite3_get_autocommit(comparison_->connection().get()) == 0)
    (void)comparison_->connection().Execute("ROLLBACK");
  comparison_->Attach(nullptr, nullptr);
  if (idle_key_.empty()) return;
  std::lock_guard lock(owner_->mutex_);
  auto& idle = owner_->idle_[idle_key_];
  if (idle.size() < kIdleMax) idle.push_back(std::move(comparison_));
}

Result<Comparisons::Lease> Comparisons::Take(Comparison::Purpose purpose,
                                             const Pages& before,
                                             const Pages& after) {
  // SQLite tells schemas apart by a counter alone: a connection that is kept never shows a state
  // whose schema is not the image's.
  std::string idle_key;
  bool same_image = before.image().id() == after.image().id();
  std::unique_ptr<Comparison> comparison;
  if (same_image && before.has_image_schema() && after.has_image_schema()) {
    idle_key =
        (purpose == Comparison::Purpose::kDiff ? "diff " : "expectations ") + before.image().id();
    std::lock_guard lock(mutex_);
    auto& idle = idle_[idle_key];
    if (!idle.empty()) {
      comparison = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (comparison == nullptr) {
    ASSIGN_OR_RETURN(comparison, Comparison::Open(purpose));
  }
  comparison->Attach(&before, &after);
  return Lease(*this, std::move(comparison), std::move(idle_key));
}

Result<std::shared_ptr<const ImageTables>> Comparisons::TablesOf(const ImagePtr& image) {
  {
    std::lock_guard lock(mutex_);
    auto found = tables_.find(image->id());
    if (found != tables_.end()) return found->second;
  }
  Pages pages(image);
  auto read = std::make_shared<ImageTables>();
  {
    ASSIGN_OR_RETURN(Lease comparison, Take(Comparison::Purpose::kDiff, pages, pages));
    ASSIGN_OR_RETURN(read->tables, ReadComparedTables(comparison->connection(), "main"));
  }
  std::vector<std::uint32_t> roots;
  for (const auto& [name, table] : read->tables) roots.push_back(table.tree.root);
  ASSIGN_OR_RETURN(read->map, PageMap::Read(pages, roots));
  std::lock_guard lock(mutex_);
  return tables_.try_emplace(image->id(), std::move(read)).first->second;
}

}  // namespace viv::engine
