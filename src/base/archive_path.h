#pragma once
// What a member of a foreign archive may be: its name, its kind and where it links to. This is the
// one rule for the layers of container images (templates) and for the archives of workspaces
// (tools/archive). It judges by the spelling alone; the unpackers in addition open every folder
// beneath the place of unpacking without following links, because an earlier member may be a link.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv {

constexpr std::size_t kArchivePathMax = 4095;  // bytes; the kernel's PATH_MAX counts a final NUL
constexpr std::size_t kArchivePartMax = 255;   // bytes between two slashes; the kernel's NAME_MAX
constexpr std::size_t kArchiveDepthMax = 200;

// What an archive is unpacked as.
enum class ArchiveUse {
  // The root of a box: an absolute link leads to a file of the archive itself. Pipes and what lies
  // in /dev belong to a running system and are left out.
  kRootFileSystem,
  // A folder within a file system: an absolute link leads out of it and is refused.
  kFolder,
};

struct ArchiveMember {
  enum class Kind { kFile, kFolder, kSymbolicLink, kHardLink, kPipe, kOther };
  std::string name;
  Kind kind = Kind::kFile;
  std::string target = {};  // of a link
};

struct CheckedMember {
  std::vector<std::string> path;         // from the root of the archive; empty for the root itself
  std::vector<std::string> linked_path;  // of a hard link: the member that it names
  bool is_left_out = false;              // nothing is to be unpacked for it
};

// kInvalidArgument for a member that leads out of the archive or is no file, folder or link.
Result<CheckedMember> CheckArchiveMember(const ArchiveMember& member, ArchiveUse use);

// The parts of a relative name; none for the root itself (".", "./"). kInvalidArgument for an
// absolute name, one with "..", or one that no file system takes.
Result<std::vector<std::string>> SplitArchivePath(std::string_view name);

// Whether a symbolic link in a folder `depth` levels below the root of the archive stays beneath
// that root.
bool LinkStaysInside(std::string_view target, std::size_t depth, ArchiveUse use);

std::string JoinArchivePath(const std::vector<std::string>& parts);  // "a/b"

// A foreign name made fit for a message: short, UTF-8, and without control characters.
std::string PrintableArchiveName(std::string_view name);

// "'<name>' in the archive <why>".
tl::unexpected<Error> RefuseArchiveMember(std::string_view name, std::string_view why);

}  // namespace viv
