// Whatever an archive says, nothing appears outside of the folder it is unpacked into, nothing but
// files, folders and links that stay within it appears inside, and a refused one leaves nothing.

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/archive_path.h"
#include "base/check.h"
#include "base/unique_fd.h"
#include "fuzz_target.h"
#include "scratch_folder.h"
#include "tools/archive/unpack.h"

namespace {

namespace fs = std::filesystem;

void CheckContent(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    CHECK(entry.is_symlink() || entry.is_regular_file() || entry.is_directory());
    const fs::path inside = entry.path().lexically_relative(folder);
    const auto depth = static_cast<std::size_t>(std::distance(inside.begin(), inside.end())) - 1;
    if (entry.is_symlink()) {
      CHECK(viv::LinkStaysInside(fs::read_symlink(entry.path()).string(), depth,
                                 viv::ArchiveUse::kFolder));
    } else {
      CHECK((fs::status(entry.path()).permissions() & fs::perms::set_uid) == fs::perms::none);
    }
  }
}

}  // namespace

FUZZ_TARGET(archive)(const std::uint8_t* data, std::size_t size) {
  static const ScratchFolder scratch;
  const fs::path folder = fs::path(scratch.path()) / "data";
  fs::create_directory(folder);
  viv::UniqueFd input(::memfd_create("archive", MFD_CLOEXEC));
  CHECK(::write(input.get(), data, size) == static_cast<ssize_t>(size));
  ::lseek(input.get(), 0, SEEK_SET);
  const viv::tools::UnpackLimits limits{.entries_max = 64, .bytes_max = 1 << 20};
  const auto done = viv::tools::Unpack(input.get(), folder.string(), limits);
  CheckContent(folder);
  if (!done) CHECK(fs::is_empty(folder));
  CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
  fs::remove_all(folder);
  return 0;
}
