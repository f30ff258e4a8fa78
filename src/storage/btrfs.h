#pragma once
// The btrfs ioctls that storage is made of, as functions. Descriptors are of folders; names are
// single path components that were checked before.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::storage::btrfs {

// How the file system counts what a subvolume holds. Simple quotas (Linux 6.7) charge whoever wrote
// an extent first and cost next to nothing; full ones follow every share and make each commit
// dearer.
enum class Quotas { kSimple, kFull };
Status EnableQuotas(int root, Quotas quotas);

Status MakeSubvolume(int parent, const std::string& name);
Status MakeReadOnlySnapshot(int source, int parent, const std::string& name);
Status DestroySubvolume(int parent, const std::string& name);
Result<std::uint64_t> SubvolumeId(int subvolume);

Status SetLimit(int root, std::uint64_t subvolume_id, std::int64_t bytes);
Status RemoveQuotaGroup(int root, std::uint64_t subvolume_id);  // also when there is none

// Gives free space in pieces of at least `bytes_min` back to the disk below; not after an error.
void Trim(int root, std::uint64_t bytes_min);

// Folder of sysfs where the kernel shows the quota groups as they are now, "…/qgroups".
Result<std::string> QuotaGroupsFolder(int root);

}  // namespace viv::storage::btrfs
