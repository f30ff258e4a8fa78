// Whatever name, kind and link target a member of an archive has: what is taken stays beneath the
// root by the judgement of std::filesystem too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/archive_path.h"
#include "base/check.h"
#include "fuzz_target.h"

namespace {

namespace fs = std::filesystem;
using Kind = viv::ArchiveMember::Kind;

void CheckIsBeneath(const fs::path& path) {
  const fs::path plain = path.lexically_normal();
  CHECK(plain.is_relative());
  CHECK(plain.empty() || *plain.begin() != "..");
}

void CheckTaken(const viv::ArchiveMember& member,
                const viv::CheckedMember& checked,
                viv::ArchiveUse use) {
  const std::string path = viv::JoinArchivePath(checked.path);
  CHECK(path.find('\0') == std::string::npos);
  CheckIsBeneath(path);
  CHECK(viv::SplitArchivePath(path.empty() ? "." : path).value() == checked.path);
  if (checked.is_left_out) return;
  CHECK(member.kind != Kind::kOther && member.kind != Kind::kPipe);
  if (member.kind == Kind::kHardLink) CheckIsBeneath(viv::JoinArchivePath(checked.linked_path));
  if (member.kind != Kind::kSymbolicLink) return;
  CHECK(!member.target.empty() && member.target.find('\0') == std::string::npos);
  const fs::path target(member.target);
  if (target.is_absolute()) {
    CHECK(use == viv::ArchiveUse::kRootFileSystem);
    CheckIsBeneath(target.relative_path());
  } else {
    CheckIsBeneath(fs::path(path).parent_path() / target);
  }
}

}  // namespace

// The first byte is the kind; a line feed ends the name, and the rest is the link's target.
FUZZ_TARGET(archive_path)(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(text.find('\n'), text.size());
  viv::ArchiveMember member{.name = text.substr(0, end), .kind = static_cast<Kind>(data[0] % 6)};
  if (end < text.size()) member.target = text.substr(end + 1);
  for (const auto use : {viv::ArchiveUse::kRootFileSystem, viv::ArchiveUse::kFolder}) {
    const auto checked = viv::CheckArchiveMember(member, use);
    if (checked) CheckTaken(member, *checked, use);
  }
  return 0;
}
