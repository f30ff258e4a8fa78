#pragma once
// Blobs on disk: archives on their way to or from a sandbox. FOLDER/OWNER/LEAF is a complete blob;
// a partial one has another name until it is complete, so that a reader never sees an incomplete
// blob. An owner has a folder from its first URL on; without it nothing can be written. Blobs are
// removed with their owner, and a day after their URL has expired. Thread-safe; all of it blocks,
// for the blocking pool.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "blobs/blob_name.h"
#include "blobs/blob_usage.h"

namespace viv::blobs {

inline constexpr std::uint64_t kBlobBytesMax = 16ULL << 30;

// A blob that is being written. The destructor removes it unless it was committed or kept.
class PartialBlob {
 public:
  PartialBlob() = default;
  PartialBlob(std::string path, UniqueFd file, std::uint64_t size, OwnerBlobUsagePtr counted)
      : path_(std::move(path)),
        file_(std::move(file)),
        size_(size),
        counted_(std::move(counted)),
        counted_bytes_(size) {}
  PartialBlob(PartialBlob&&) noexcept = default;
  PartialBlob& operator=(PartialBlob&&) noexcept = default;
  ~PartialBlob();

  // Charges further bytes before they are written; kLimitExceeded when there are too many.
  Status Reserve(std::uint64_t bytes);
  // kLimitExceeded when it becomes too large, or the disk too full, or its owner may not have more.
  Status Append(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  int fd() const { return file_.get(); }
  void KeepForResume();  // keeps the file for a later piece

 private:
  friend class BlobStore;
  Status CheckFreeSpace();

  std::string path_;  // empty: nothing to remove
  UniqueFd file_;
  std::uint64_t size_ = 0;
  OwnerBlobUsagePtr counted_;        // nullptr: nobody counts
  std::uint64_t counted_bytes_ = 0;  // at least its size
  std::uint64_t free_checked_at_ = 0;
};

class BlobStore {
 public:
  // Existing blobs are counted even if they exceed the limits.
  static Result<std::unique_ptr<BlobStore>> Open(std::string folder, MakeBlobCharge charges = {});

  Status AddOwner(std::string_view owner);
  void RemoveOwner(std::string_view owner);  // with all blobs; fine when there is none

  Result<PartialBlob> NewPartial(const BlobName& name) const;  // kNotFound without its owner
  // Opens the partial blob of an upload in pieces, with what has arrived so far.
  enum class Resume { kFromStart, kFromEnd };
  Result<PartialBlob> OpenPartial(const BlobName& name, Resume begin) const;
  // Makes the partial blob the blob of that name.
  Status Commit(PartialBlob partial, const BlobName& name) const;

  Result<UniqueFd> OpenToRead(const BlobName& name) const;  // kNotFound when there is none
  void Remove(const BlobName& name) const;
  // Of what an owner may download only the newest few stay.
  void KeepNewestDownloads(std::string_view owner, std::size_t count) const;

  // Removes the folders of owners that are no more, and what is old.
  void Sweep(const std::function<bool(std::string_view owner)>& is_alive, std::int64_t now_s) const;

 private:
  BlobStore(std::string folder, MakeBlobCharge charges)
      : folder_(std::move(folder)), usage_(std::move(charges)) {}
  std::string PathOf(const BlobName& name) const;
  // Removes a file and no longer counts it.
  void Unlink(std::string_view owner, const std::string& path) const;

  const std::string folder_;
  mutable BlobUsage usage_;
};

}  // namespace viv::blobs
