#include "base/archive_path.h"

#include "base/text.h"

namespace viv {
namespace {

constexpr std::size_t kShownNameMax = 120;

bool ContainsNul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

Status CheckLinkOfMember(const ArchiveMember& member, CheckedMember& checked, ArchiveUse use) {
  if (member.kind == ArchiveMember::Kind::kSymbolicLink &&
      !LinkStaysInside(member.target, checked.path.size() - 1, use))
    return RefuseArchiveMember(member.name, "is a link that leads out of the folder");
  if (member.kind != ArchiveMember::Kind::kHardLink) return {};
  ASSIGN_OR_RETURN(checked.linked_path, SplitArchivePath(member.target));
  if (checked.linked_path.empty())
    return RefuseArchiveMember(member.name, "is a link to the root of the archive");
  return {};
}

}  // namespace

std::string PrintableArchiveName(std::string_view name) {
  std::string shown = Printable(name, kShownNameMax);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return shown;
}

tl::unexpected<Error> RefuseArchiveMember(std::string_view name, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              "'" + PrintableArchiveName(name) + "' in the archive " + std::string(why));
}

Result<std::vector<std::string>> SplitArchivePath(std::string_view name) {
  if (name.empty()) return RefuseArchiveMember(name, "has no name");
  if (name[0] == '/')
    return RefuseArchiveMember(name, "is an absolute name: pack with relative ones");
  if (ContainsNul(name)) return RefuseArchiveMember(name, "has a NUL in its name");
  if (name.size() > kArchivePathMax) return RefuseArchiveMember(name, "is too long for a name");
  std::vector<std::string> parts;
  for (const std::string_view part : Split(name, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..")
      return RefuseArchiveMember(name, "leads out of the folder: names must not contain '..'");
    if (part.size() > kArchivePartMax) return RefuseArchiveMember(name, "is too long for a name");
    parts.emplace_back(part);
  }
  if (parts.size() > kArchiveDepthMax) return RefuseArchiveMember(name, "is nested too deep");
  return parts;
}

bool LinkStaysInside(std::string_view target, std::size_t depth, ArchiveUse use) {
  if (target.empty() || target.size() > kArchivePathMax || ContainsNul(target)) return false;
  const bool is_absolute = target[0] == '/';
  if (is_absolute && use == ArchiveUse::kFolder) return false;
  std::size_t level = is_absolute ? 0 : depth;
  for (const std::string_view part : Split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      ++level;
    } else if (level-- == 0) {
      return false;
    }
  }
  return true;
}

Result<CheckedMember> CheckArchiveMember(const ArchiveMember& member, ArchiveUse use) {
  CheckedMember checked;
  ASSIGN_OR_RETURN(checked.path, SplitArchivePath(member.name));
  if (checked.path.empty()) {
    if (member.kind != ArchiveMember::Kind::kFolder)
      return RefuseArchiveMember(member.name, "is no folder, but named as the root");
    checked.is_left_out = true;
    return checked;
  }
  if (use == ArchiveUse::kRootFileSystem) {
    const bool is_in_dev = checked.path.size() > 1 && checked.path[0] == "dev";
    checked.is_left_out = is_in_dev || member.kind == ArchiveMember::Kind::kPipe;
    if (checked.is_left_out) return checked;
  }
  if (member.kind == ArchiveMember::Kind::kPipe || member.kind == ArchiveMember::Kind::kOther)
    return RefuseArchiveMember(member.name,
                               "is a device or a pipe, neither file nor folder nor link");
  RETURN_IF_ERROR(CheckLinkOfMember(member, checked, use));
  return checked;
}

std::string JoinArchivePath(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

}  // namespace viv
