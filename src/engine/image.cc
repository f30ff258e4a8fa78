#include "engine/image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/errno_error.h"
#include "base/unique_fd.h"

namespace viv::engine {
std::uint32_t SchemaCookie(const std::byte* first_page) {
  constexpr std::size_t kOffset = 40;  // big-endian, as all of SQLite's header
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | std::to_integer<std::uint32_t>(first_page[kOffset + i]);
  }
  return value;
}

Result<ImagePtr> Image::Map(const std::string& path, std::string id) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return FailErrno(ErrorCode::kNotFound, "image " + path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return FailErrno(ErrorCode::kInternal, "image " + path);
  }
  auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0 || bytes % kPageBytes != 0) {
    return Fail(ErrorCode::kInternal, "image " + path + ": not a database of 4 KiB pages");
  }
  void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) return FailErrno(ErrorCode::kInternal, "image " + path);
  return ImagePtr(new Image(std::move(id), static_cast<const std::byte*>(map),
                            static_cast<std::uint32_t>(bytes / kPageBytes)));
}

Image::~Image() {
  ::munmap(const_cast<std::byte*>(bytes_), page_count_ * kPageBytes);
}

}  // namespace viv::engine
