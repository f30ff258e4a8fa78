#pragma once
// The bodies that make a snapshot: of a box, or of an image.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

inline constexpr std::int64_t kSnapshotDiskBytesMax = 1LL << 40;

struct SnapshotRequest {
  std::string name;
  std::string tag = "latest";
  std::string docker_image;  // of an image only
  std::string registry_id;
  std::optional<std::int64_t> disk_bytes;
  std::string description;
  std::map<std::string, std::string> labels;
  bool include_labels = false;  // of a box only: its labels, below these
  json::value run_config;       // an object in its stored form, or null
};

// What a box cannot be captured with (memory, checkpoints, images of its own Docker) is a mistake
// whose text says what can be done instead.
Checked<SnapshotRequest> ReadCaptureRequest(const json::value& body);
Checked<SnapshotRequest> ReadBuildRequest(const json::value& body);

}  // namespace viv::langsmith
