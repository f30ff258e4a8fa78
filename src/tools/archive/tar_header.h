#pragma once
// The heads of tar members: ustar, with a pax head before it where ustar has no room (long names,
// names that are not ASCII, sizes from 8 GiB on).

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace viv::tools {

inline constexpr std::size_t kTarBlockBytes = 512;

struct TarMember {
  enum class Type : char { kFile = '0', kHardLink = '1', kLink = '2', kFolder = '5' };
  std::string name = {};  // "./a/b"
  Type type = Type::kFile;
  mode_t mode = 0644;
  std::uint64_t size = 0;     // of a file's content, which follows
  std::int64_t modified = 0;  // seconds since 1970
  std::string link = {};      // where a link leads
};

// Whole blocks. Every member belongs to the box's ordinary user.
std::string TarHeader(const TarMember& member);

// How many zeros bring `size` bytes of content to whole blocks.
constexpr std::size_t TarPadding(std::uint64_t size) {
  return static_cast<std::size_t>((kTarBlockBytes - size % kTarBlockBytes) % kTarBlockBytes);
}

}  // namespace viv::tools
