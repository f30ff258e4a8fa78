#pragma once
// What a box can start from: the machine's templates, and each account's snapshots. Thread-safe.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "boxes/box_layers.h"
#include "boxes/box_records.h"
#include "boxes/disk_use.h"
#include "store/store.h"
#include "templates/templates.h"

namespace viv::boxes {

// What a box starts from, with the reference that keeps its layers meanwhile.
struct StartPoint {
  std::string id;
  std::string name;
  std::string parked_key;  // the pool of boxes that are parked for this start; empty: none
  bool is_snapshot = false;
  std::vector<storage::OverlayMount> overlays;
  std::map<std::string, std::string> variables;
  std::string user;
  std::string workdir;
  runtime::Limits limits;
  std::int64_t disk_bytes = 0;
  BoxLayers::Reference layer_reference;
};

// The `layer` in the record of an imported snapshot. Its files are in a template's folder that
// belongs to no template.
inline constexpr char kImageLayer[] = "image";
// The prefix of templates that exist only while an image is imported. They are never offered.
inline constexpr std::string_view kImportPrefix = "import-";

class BoxTemplates {
 public:
  BoxTemplates(store::Store& store, templates::Templates& templates, BoxLayers& layers);
  ~BoxTemplates();  // waits for files that are being removed

  Status Load();  // loads the snapshots, at start

  // By id or name; "team/" before it and ":default" behind it are fine. An account's own snapshots
  // come before the machine's templates, the newest of a name first.
  Result<StartPoint> Resolve(std::string_view account_id, std::string_view name) const;
  // The variables that the box's template set. Empty when the template is gone: the owner's own
  // must not be copied.
  std::map<std::string, std::string> TemplateVariablesOf(std::string_view account_id,
                                                         const BoxSpec& spec) const;
  std::vector<TemplateInfo> List(std::string_view account_id) const;
  static TemplateInfo InfoOf(const SnapshotRecord& record);
  std::vector<DiskHolder> ListHolders() const;  // the disk use of snapshots

  Task<Status> Add(SnapshotRecord record);
  // The snapshot's id when the account has it; kPermissionDenied for one of the machine's.
  Result<std::string> FindSnapshot(std::string_view account_id, std::string_view name) const;
  Task<Status> RemoveSnapshot(std::string id);

 private:
  struct Snapshot {
    SnapshotRecord record;
    BoxLayers::Reference layer_reference;
  };
  class Remover;

  const Snapshot* FindLocked(std::string_view account_id, std::string_view name) const;

  store::Store& store_;
  templates::Templates& templates_;
  BoxLayers& layers_;
  // Shared with the layers, which outlive us.
  std::shared_ptr<Remover> remover_;
  mutable std::mutex mutex_;  // guards the one below
  std::map<std::string, Snapshot> snapshots_;
};

}  // namespace viv::boxes
