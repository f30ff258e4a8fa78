#pragma once
// A box and a snapshot as the store keeps them: JSON. What a record does not say has its default,
// so that a newer server reads an older one's records.

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "boxes/boxes.h"
#include "boxes/live_box.h"

namespace viv::boxes {

inline constexpr char kBoxKind[] = "box";
inline constexpr char kSnapshotKind[] = "snapshot";

struct BoxRecord {
  Box box;
  BoxHandle handle;  // of a stopped box only folder and overlays count
};

// A template taken from a box: what its files were, and how boxes from it begin.
struct SnapshotRecord {
  std::string id;
  std::string account_id;
  std::string name;  // may be empty
  std::string origin_box;
  std::string layer;                            // of the storage
  std::vector<storage::OverlayMount> overlays;  // the layer's own on top
  std::map<std::string, std::string> variables;
  std::string user = "user";
  std::string workdir;
  runtime::Limits limits;
  std::int64_t disk_bytes = 0;
  std::int64_t image_bytes = 0;  // what an imported image takes; 0 for layers
  std::int64_t created_at_us = 0;
};

std::string WriteBoxRecord(const BoxRecord& record);
Result<BoxRecord> ReadBoxRecord(std::string_view text);
std::string WriteSnapshotRecord(const SnapshotRecord& record);
Result<SnapshotRecord> ReadSnapshotRecord(std::string_view text);

}  // namespace viv::boxes
