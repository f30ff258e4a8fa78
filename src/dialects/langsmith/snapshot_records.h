#pragma once
// The snapshots of an account: those of the domain, created through any dialect, with what this
// dialect's table adds; and those that only the table has, because they are being built or their
// build failed.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dialects/langsmith/context.h"

namespace viv::langsmith {

enum class SnapshotStatus { kBuilding, kReady, kFailed };
std::string_view NameOfStatus(SnapshotStatus status);

struct KnownSnapshot {
  std::string id;  // the domain's: 20 letters
  std::string account_id;
  std::string name;
  std::string wanted_tag;         // which it gets once it is ready
  std::vector<std::string> tags;  // which it has; a tag of a name belongs to one snapshot
  SnapshotStatus status = SnapshotStatus::kReady;
  std::string message;  // why it failed
  std::string docker_image;
  std::string image_digest;
  std::string registry_id;
  std::string source_box;  // the domain's id
  std::int64_t disk_bytes = 0;
  std::string description;
  std::vector<std::string> included;  // settings of its sandbox that it carries
  std::map<std::string, std::string> labels;
  json::value run_config;  // an object, or null
  // What its image asks for, or its sandbox ran with: below run_config. Empty: nothing special.
  std::string user;
  std::string workdir;
  std::string created_by;
  std::int64_t created_at_us = 0;
  std::int64_t updated_at_us = 0;

  bool HasTag(std::string_view tag) const;
};

std::vector<KnownSnapshot> KnownSnapshots(const Context& context, std::string_view account_id);

// By UUID, "name:tag", or a bare name: "name:latest", else the newest ready one without a tag.
// Where none is ready the newest that would have fitted is found. kNotFound otherwise.
Result<KnownSnapshot> FindSnapshot(const Context& context,
                                   std::string_view account_id,
                                   std::string_view ref);

struct SnapshotRef {
  std::string_view name;
  std::string_view tag;  // empty: none was given
};
SnapshotRef SplitSnapshotRef(std::string_view ref);

// The name that other dialects see. Empty if a template of the machine has this name, because boxes
// without a snapshot start from that template.
std::string DomainNameFor(const Context& context,
                          std::string_view account_id,
                          const std::string& name);

accounts::DocumentTable::Entry EntryOf(const KnownSnapshot& snapshot);

}  // namespace viv::langsmith
