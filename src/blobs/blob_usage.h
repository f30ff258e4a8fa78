#pragma once
// Counts what each owner's blobs take, partial ones included: charges a budget before bytes are
// written, and uncharges it when a blob is removed. Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace viv::blobs {

// What an owner has charged to a budget. The destructor returns it.
class BlobCharge {
 public:
  virtual ~BlobCharge() = default;
  // Sets the charge; kLimitExceeded leaves it unchanged.
  virtual Status Set(std::int64_t blobs, std::int64_t bytes) = 0;
  virtual void SetUnchecked(std::int64_t blobs, std::int64_t bytes) = 0;
};
using MakeBlobCharge = std::function<std::unique_ptr<BlobCharge>(std::string_view owner)>;

class OwnerBlobUsage {
 public:
  explicit OwnerBlobUsage(std::unique_ptr<BlobCharge> charge) : charge_(std::move(charge)) {}

  Status Add(std::int64_t blobs, std::uint64_t bytes);
  void AddUnchecked(std::int64_t blobs, std::uint64_t bytes);
  void Remove(std::int64_t blobs, std::uint64_t bytes);
  void End();  // the owner was removed with all its blobs

 private:
  std::mutex mutex_;  // guards all below
  std::unique_ptr<BlobCharge> charge_;
  std::int64_t blobs_ = 0;
  std::int64_t bytes_ = 0;
};
using OwnerBlobUsagePtr = std::shared_ptr<OwnerBlobUsage>;  // shared with partial blobs

class BlobUsage {
 public:
  explicit BlobUsage(MakeBlobCharge make) : make_(std::move(make)) {}

  OwnerBlobUsagePtr Of(std::string_view owner);  // nullptr: usage is not counted
  void Forget(std::string_view owner);

 private:
  const MakeBlobCharge make_;
  std::mutex mutex_;  // guards the one below
  std::map<std::string, OwnerBlobUsagePtr, std::less<>> owners_;
};

}  // namespace viv::blobs
