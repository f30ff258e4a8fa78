#include "boxes/box_templates.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/log.h"

namespace viv::boxes {
namespace {

// "team/name:default" is "name".
std::string_view PlainTemplateName(std::string_view name) {
  constexpr std::string_view kDefaultTag = ":default";
  if (std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  if (name.ends_with(kDefaultTag)) name.remove_suffix(kDefaultTag.size());
  return name;
}

}  // namespace

// Removes the folders of imported images that are no longer used, on a thread of its own because
// one may contain a whole system. The folders of other templates are removed by the next start of
// the server, because parked boxes that use them hold no reference.
class BoxTemplates::Remover {
 public:
  explicit Remover(templates::Templates& templates) : templates_(templates) {}
  ~Remover() { thread_.join(); }

  void AddImage(const SnapshotRecord& record) {
    if (record.layer != kImageLayer) return;
    std::lock_guard lock(mutex_);
    images_.merge(TemplateFoldersIn(record.overlays));
  }

  void Remove(const std::string& folder) {
    {
      std::lock_guard lock(mutex_);
      if (images_.erase(folder) == 0) return;
    }
    asio::post(thread_, [this, beginning = folder + "/"] {
      templates_.Clean(
          [&beginning](const std::string& layer) { return !layer.starts_with(beginning); });
    });
  }

 private:
  templates::Templates& templates_;
  std::mutex mutex_;  // guards the one below
  std::set<std::string> images_;
  asio::thread_pool thread_{1};  // last: it uses all of the above
};

BoxTemplates::BoxTemplates(store::Store& store, templates::Templates& templates, BoxLayers& layers)
    : store_(store),
      templates_(templates),
      layers_(layers),
      remover_(std::make_shared<Remover>(templates)) {
  layers_.SetOnUnreferenced(
      [remover = std::weak_ptr<Remover>(remover_)](const std::string& folder) {
        if (auto alive = remover.lock()) alive->Remove(folder);
      });
}

BoxTemplates::~BoxTemplates() = default;

Status BoxTemplates::Load() {
  ASSIGN_OR_RETURN(auto documents, store_.ListDocuments(kSnapshotKind));
  for (const store::Document& document : documents) {
    auto record = ReadSnapshotRecord(document.body);
    if (!record) {
      log::Error("snapshot.unreadable", {{"id", document.id}, {"error", record.error().message}});
      continue;
    }
    BoxLayers::Reference layer_reference = layers_.AddReference(record->overlays);
    remover_->AddImage(*record);
    std::string id = record->id;
    snapshots_[id] = {*std::move(record), std::move(layer_reference)};
  }
  return {};
}

const BoxTemplates::Snapshot* BoxTemplates::FindLocked(std::string_view account_id,
                                                       std::string_view name) const {
  const Snapshot* best = nullptr;
  for (const auto& [id, snapshot] : snapshots_) {
    const SnapshotRecord& record = snapshot.record;
    if (record.account_id != account_id) continue;
    if (record.id == name) return &snapshot;
    if (record.name.empty() || record.name != name) continue;
    if (best == nullptr || best->record.created_at_us < record.created_at_us) best = &snapshot;
  }
  return best;
}

Result<StartPoint> BoxTemplates::Resolve(std::string_view account_id, std::string_view name) const {
  const std::string plain(PlainTemplateName(name));
  {
    std::lock_guard lock(mutex_);
    if (const Snapshot* found = FindLocked(account_id, plain)) {
      const SnapshotRecord& record = found->record;
      StartPoint start;
      start.id = record.id;
      start.name = record.name;
      start.is_snapshot = true;
      start.overlays = record.overlays;
      start.variables = record.variables;
      start.user = record.user;
      start.workdir = record.workdir;
      start.limits = record.limits;
      start.disk_bytes = record.disk_bytes;
      start.layer_reference = found->layer_reference;
      return start;
    }
  }
  auto found = templates_.Find(plain);
  if (!found || found->name.starts_with(kImportPrefix))
    return Fail(ErrorCode::kNotFound, "template '" + std::string(name) +
                                          "' not found; `viv template ls` shows what there is");
  StartPoint start;
  start.id = start.parked_key = found->id;
  start.name = found->name;
  start.overlays = found->overlays;
  start.variables = found->variables;
  start.user = found->user;
  start.workdir = found->workdir;
  start.limits.cpus = found->cpus;
  start.limits.memory_bytes = found->memory_bytes;
  start.disk_bytes = found->disk_bytes;
  return start;
}

std::map<std::string, std::string> BoxTemplates::TemplateVariablesOf(std::string_view account_id,
                                                                     const BoxSpec& spec) const {
  if (auto start = Resolve(account_id, spec.template_id)) return start->variables;
  // Built anew since, under the same name.
  if (auto found = templates_.Find(spec.template_name)) return found->variables;
  return {};
}

std::vector<DiskHolder> BoxTemplates::ListHolders() const {
  std::vector<DiskHolder> holders;
  std::lock_guard lock(mutex_);
  for (const auto& [id, snapshot] : snapshots_) {
    DiskHolder holder;
    holder.account_id = snapshot.record.account_id;
    holder.used_bytes = snapshot.record.image_bytes;
    holder.layers = LayersIn(snapshot.record.overlays);
    holders.push_back(std::move(holder));
  }
  return holders;
}

TemplateInfo BoxTemplates::InfoOf(const SnapshotRecord& record) {
  TemplateInfo info;
  info.id = record.id;
  if (!record.name.empty()) info.names.push_back(record.name);
  info.is_snapshot = true;
  info.origin_box = record.origin_box;
  info.cpus = record.limits.cpus;
  info.memory_bytes = record.limits.memory_bytes;
  info.disk_bytes = record.disk_bytes;
  info.created_at_us = record.created_at_us;
  return info;
}

std::vector<TemplateInfo> BoxTemplates::List(std::string_view account_id) const {
  std::vector<TemplateInfo> list;
  for (const templates::Template& it : templates_.List()) {
    if (it.name.starts_with(kImportPrefix)) continue;
    TemplateInfo info;
    info.id = it.id;
    info.names.push_back(it.name);
    info.cpus = it.cpus;
    info.memory_bytes = it.memory_bytes;
    info.disk_bytes = it.disk_bytes;
    info.created_at_us = it.created_at_us;
    list.push_back(std::move(info));
  }
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, snapshot] : snapshots_)
      if (snapshot.record.account_id == account_id) list.push_back(InfoOf(snapshot.record));
  }
  std::sort(list.begin(), list.end(), [](const TemplateInfo& a, const TemplateInfo& b) {
    return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
  });
  return list;
}

Task<Status> BoxTemplates::Add(SnapshotRecord record) {
  BoxLayers::Reference layer_reference = layers_.AddReference(record.overlays);
  remover_->AddImage(record);
  store::Document document{kSnapshotKind, record.id, record.account_id,
                           WriteSnapshotRecord(record)};
  CO_RETURN_IF_ERROR(co_await store_.PutDocument(std::move(document)), "store the snapshot");
  std::lock_guard lock(mutex_);
  std::string id = record.id;
  snapshots_[id] = {std::move(record), std::move(layer_reference)};
  co_return Status();
}

Result<std::string> BoxTemplates::FindSnapshot(std::string_view account_id,
                                               std::string_view name) const {
  const std::string plain(PlainTemplateName(name));
  {
    std::lock_guard lock(mutex_);
    if (const Snapshot* found = FindLocked(account_id, plain)) return found->record.id;
  }
  if (templates_.Find(plain))
    return Fail(ErrorCode::kPermissionDenied,
                "template '" + plain + "' belongs to the machine: `viv template rm` removes it");
  return Fail(ErrorCode::kNotFound, "template '" + std::string(name) + "' not found");
}

Task<Status> BoxTemplates::RemoveSnapshot(std::string id) {
  CO_RETURN_IF_ERROR(co_await store_.RemoveDocument(kSnapshotKind, id),
                     "remove the snapshot's record");
  Snapshot removed;  // its reference is dropped after the lock
  {
    std::lock_guard lock(mutex_);
    auto found = snapshots_.find(id);
    if (found != snapshots_.end()) {
      removed = std::move(found->second);
      snapshots_.erase(found);
    }
  }
  co_return Status();
}

}  // namespace viv::boxes
