#pragma once
// The records of boxes and snapshots in the store, as JSON. Missing members have defaults, so that
// a newer server reads the records of an older one.

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

// A template that was taken from a box: its files, and how boxes from it start.
struct SnapshotRecord {
  std::string id;
  std::string account_id;
  std::string name;  // may be empty
  std::string origin_box;
  std::string layer;                            // of the storage
  std::vector<storage::OverlayMount> overlays;  // with the layer on top
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
