// Whether what a box stores can be limited here, found by making storage as the server would: a
// small image in the data folder, mounted for a moment.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/doctor_report.h"
#include "storage/box_storage.h"
#include "storage/image.h"

namespace viv::cli {
namespace {

namespace fs = std::filesystem;

// The kind of storage that a new image in `folder` gives.
Result<std::string> TryStorage(const std::string& folder) {
  storage::StorageOptions options;
  options.directory = folder;
  options.image_bytes = storage::kImageBytesMin;
  ASSIGN_OR_RETURN(auto storage, storage::BoxStorage::Open(options));
  std::string kind = storage->kind();
  RETURN_IF_ERROR(storage->Unmount());
  return kind;
}

void AddStorage(DoctorReport& report, const Result<std::string>& kind) {
  constexpr const char* kName = "disk limits";
  if (!kind) {
    report.Add(Verdict::kBad, kName, "none", kind.error().message);
  } else if (kind->starts_with("XFS")) {
    report.Add(Verdict::kGood, kName, *kind,
               "a snapshot takes longer the more files a box changed; with btrfs (the kernel's "
               "module and btrfs-progs) it takes a moment");
  } else {
    report.Add(Verdict::kGood, kName, *kind);
  }
}

// A disk that is full below the image breaks the files of all boxes, so the server stops before.
void CheckFreeSpace(DoctorReport& report, const std::string& folder) {
  auto room = storage::ReadDiskSpace(folder, folder);
  if (!room) return;
  const std::string reserve = fmt::format("{} MiB in reserve", room->reserve_bytes >> 20);
  if (!room->IsLow()) {
    report.Add(Verdict::kGood, "space for boxes", reserve);
    return;
  }
  report.Add(Verdict::kBad, "space for boxes", storage::DescribeLowDisk(*room),
             "no boxes start, and boxes that write are frozen: free some space");
}

// Whether the kernel closed the image of a server that runs, or ran.
void CheckOpen(DoctorReport& report, const std::string& folder) {
  if (!storage::IsImageBroken({folder + "/store.img", folder + "/mnt"})) return;
  report.Add(
      Verdict::kBad, "files of boxes", "closed by the kernel after an error",
      "free some space if the disk is full, then restart the server, which mounts them again");
}

}  // namespace

void CheckStorage(DoctorReport& report, const StorageToCheck& where) {
  const std::string image = where.data + "/boxes/store.img";
  std::error_code ignored;
  CheckFreeSpace(report, where.existing);
  if (fs::exists(image, ignored)) {
    CheckOpen(report, fs::canonical(where.data + "/boxes", ignored));
    // Mounting it a second time could disturb a server that runs.
    const auto kind = storage::ReadImageKind(image);
    AddStorage(report, kind ? Result<std::string>(*kind == storage::ImageKind::kXfs ? "XFS image"
                                                                                    : "btrfs image")
                            : Result<std::string>(PassUp(kind.error())));
    return;
  }
  std::string scratch = where.existing + "/.viv-doctor-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) return;  // the data folder was reported already
  AddStorage(report, TryStorage(scratch));
  fs::remove_all(scratch, ignored);
}

}  // namespace viv::cli
