#include "blobs/blob_usage.h"

namespace viv::blobs {

Status OwnerBlobUsage::Add(std::int64_t blobs, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const std::int64_t more = static_cast<std::int64_t>(bytes);
  if (charge_ != nullptr) RETURN_IF_ERROR(charge_->Set(blobs_ + blobs, bytes_ + more));
  blobs_ += blobs;
  bytes_ += more;
  return {};
}

void OwnerBlobUsage::AddUnchecked(std::int64_t blobs, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  blobs_ += blobs;
  bytes_ += static_cast<std::int64_t>(bytes);
  if (charge_ != nullptr) charge_->SetUnchecked(blobs_, bytes_);
}

void OwnerBlobUsage::Remove(std::int64_t blobs, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  blobs_ -= blobs;
  bytes_ -= static_cast<std::int64_t>(bytes);
  if (charge_ != nullptr) charge_->SetUnchecked(blobs_, bytes_);
}

void OwnerBlobUsage::End() {
  std::lock_guard lock(mutex_);
  charge_.reset();
}

OwnerBlobUsagePtr BlobUsage::Of(std::string_view owner) {
  if (!make_) return nullptr;
  std::lock_guard lock(mutex_);
  auto found = owners_.find(owner);
  if (found != owners_.end()) return found->second;
  auto made = std::make_shared<OwnerBlobUsage>(make_(owner));
  owners_.emplace(owner, made);
  return made;
}

void BlobUsage::Forget(std::string_view owner) {
  std::lock_guard lock(mutex_);
  auto found = owners_.find(owner);
  if (found == owners_.end()) return;
  found->second->End();
  owners_.erase(found);
}

}  // namespace viv::blobs
