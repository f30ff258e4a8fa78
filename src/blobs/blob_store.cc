#include "blobs/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/log.h"

namespace viv::blobs {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKeptSeconds = 24 * 3600 + 30 * 60;  // a day after a URL's end
constexpr std::uint64_t kFreeBytesMin = 256 << 20;          // stays free for everybody else
constexpr std::uint64_t kFreeCheckStep = 32 << 20;

tl::unexpected<Error> FailDisk(const std::string& doing, int error) {
  if (error == ENOENT) return Fail(ErrorCode::kNotFound, doing + ": there is none");
  if (error == ENOSPC || error == EDQUOT)
    return Fail(ErrorCode::kLimitExceeded, doing + ": the server's disk is full");
  return FailErrno(ErrorCode::kInternal, doing, error);
}

}  // namespace

PartialBlob::~PartialBlob() {
  // Moved from, its text may be anything: the descriptor tells.
  if (!file_ || path_.empty()) return;
  ::unlink(path_.c_str());
  if (counted_ != nullptr) counted_->Remove(1, counted_bytes_);
}

void PartialBlob::KeepForResume() {
  path_.clear();
  if (counted_ != nullptr) counted_->Remove(0, counted_bytes_ - size_);
  counted_bytes_ = size_;
}

Status PartialBlob::Reserve(std::uint64_t bytes) {
  if (size_ + bytes <= counted_bytes_) return {};
  const std::uint64_t more = size_ + bytes - counted_bytes_;
  if (counted_ != nullptr) RETURN_IF_ERROR(counted_->Add(0, more));
  counted_bytes_ += more;
  return {};
}

Status PartialBlob::CheckFreeSpace() {
  if (size_ < free_checked_at_) return {};
  free_checked_at_ = size_ + kFreeCheckStep;
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) == 0 &&
      static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < kFreeBytesMin + kFreeCheckStep)
    return FailDisk("keep a blob", ENOSPC);
  return {};
}

Status PartialBlob::Append(std::string_view bytes) {
  if (bytes.size() > kBlobBytesMax - size_)
    return Fail(ErrorCode::kLimitExceeded,
                "a blob has at most " + std::to_string(kBlobBytesMax) + " bytes");
  RETURN_IF_ERROR(Reserve(bytes.size()));
  RETURN_IF_ERROR(CheckFreeSpace());
  while (!bytes.empty()) {
    const ssize_t wrote =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return FailDisk("keep a blob", errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    size_ += static_cast<std::uint64_t>(wrote);
  }
  return {};
}

Result<std::unique_ptr<BlobStore>> BlobStore::Open(std::string folder, MakeBlobCharge charges) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return Fail(ErrorCode::kUnavailable, "make the folder " + folder + ": " + error.message());
  std::unique_ptr<BlobStore> store(new BlobStore(folder, std::move(charges)));
  for (const auto& owner : fs::directory_iterator(folder, error)) {
    const OwnerBlobUsagePtr counted = store->usage_.Of(owner.path().filename().string());
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(owner.path(), ignored)) {
      struct stat status {};
      if (counted != nullptr && ::lstat(entry.path().c_str(), &status) == 0)
        counted->AddUnchecked(1, static_cast<std::uint64_t>(status.st_size));
    }
  }
  return store;
}

std::string BlobStore::PathOf(const BlobName& name) const {
  return folder_ + "/" + name.owner + "/" + name.leaf;
}

Status BlobStore::AddOwner(std::string_view owner) {
  const std::string path = folder_ + "/" + std::string(owner);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return FailDisk("make room for blobs", errno);
  return {};
}

void BlobStore::RemoveOwner(std::string_view owner) {
  std::error_code error;
  fs::remove_all(folder_ + "/" + std::string(owner), error);
  if (error) log::Warn("blobs.not_removed", {{"owner", owner}, {"error", error.message()}});
  usage_.Forget(owner);
}

void BlobStore::Unlink(std::string_view owner, const std::string& path) const {
  struct stat status {};
  const bool known = ::lstat(path.c_str(), &status) == 0;
  if (::unlink(path.c_str()) != 0 || !known) return;
  const OwnerBlobUsagePtr counted = usage_.Of(owner);
  if (counted != nullptr) counted->Remove(1, static_cast<std::uint64_t>(status.st_size));
}

Result<PartialBlob> BlobStore::NewPartial(const BlobName& name) const {
  const std::string path = PathOf(name) + ".new-" + RandomHex(12);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailDisk("keep a blob", errno);
  PartialBlob partial(path, std::move(file), 0, nullptr);
  const OwnerBlobUsagePtr counted = usage_.Of(name.owner);
  if (counted != nullptr) RETURN_IF_ERROR(counted->Add(1, 0));
  partial.counted_ = counted;
  return partial;
}

Result<PartialBlob> BlobStore::OpenPartial(const BlobName& name, Resume begin) const {
  const std::string path = PathOf(name) + ".part";
  if (::access((folder_ + "/" + name.owner).c_str(), F_OK) != 0)
    return FailDisk("keep a blob", errno);
  const OwnerBlobUsagePtr counted = usage_.Of(name.owner);
  if (begin == Resume::kFromStart) Unlink(name.owner, path);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!file && errno == ENOENT) {
    if (counted != nullptr) RETURN_IF_ERROR(counted->Add(1, 0));
    file = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int error = errno;
    if (!file && counted != nullptr) counted->Remove(1, 0);
    errno = error;
  }
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return FailDisk("keep a blob", errno);
  return PartialBlob(path, std::move(file), static_cast<std::uint64_t>(status.st_size), counted);
}

Status BlobStore::Commit(PartialBlob partial, const BlobName& name) const {
  struct stat replaced {};
  const bool replaces = ::lstat(PathOf(name).c_str(), &replaced) == 0;
  if (::rename(partial.path_.c_str(), PathOf(name).c_str()) != 0)
    return FailDisk("keep a blob", errno);
  partial.KeepForResume();
  if (replaces && partial.counted_ != nullptr)
    partial.counted_->Remove(1, static_cast<std::uint64_t>(replaced.st_size));
  return {};
}

Result<UniqueFd> BlobStore::OpenToRead(const BlobName& name) const {
  UniqueFd file(::open(PathOf(name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return FailDisk("read a blob", errno);
  return file;
}

void BlobStore::Remove(const BlobName& name) const {
  Unlink(name.owner, PathOf(name));
}

void BlobStore::KeepNewestDownloads(std::string_view owner, std::size_t count) const {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ + "/" + std::string(owner), error)) {
    const std::string leaf = entry.path().filename().string();
    if (leaf[0] != 'd' || leaf.find('.') != std::string::npos) continue;
    std::error_code gone;
    const auto time = entry.last_write_time(gone);
    if (!gone) found.emplace_back(time, entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  for (std::size_t i = count; i < found.size(); ++i) Unlink(owner, found[i].second.string());
}

void BlobStore::Sweep(const std::function<bool(std::string_view owner)>& is_alive,
                      std::int64_t now_s) const {
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(folder_, error)) {
    std::error_code ignored;
    const std::string owner = folder.path().filename().string();
    if (!is_alive(owner)) {
      fs::remove_all(folder.path(), ignored);
      usage_.Forget(owner);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
      struct stat status {};
      if (::lstat(entry.path().c_str(), &status) == 0 && status.st_mtime < now_s - kKeptSeconds)
        Unlink(owner, entry.path().string());
    }
  }
}

}  // namespace viv::blobs
