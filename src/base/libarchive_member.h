#pragma once
// Reads name, kind and link target of an entry of libarchive. Header only: base itself does not
// link libarchive, the modules that unpack archives do.

#include <archive_entry.h>

#include <string>

#include "base/archive_path.h"

namespace viv {

inline ArchiveMember ReadArchiveMember(archive_entry* entry) {
  // Outside a UTF-8 locale libarchive gives some names only in the second form.
  const auto text = [](const char* plain, const char* utf8) -> std::string {
    const char* found = plain != nullptr ? plain : utf8;
    return found != nullptr ? found : "";
  };
  ArchiveMember member{
      .name = text(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry)),
      .kind = ArchiveMember::Kind::kOther,
      .target = text(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry))};
  if (!member.target.empty()) {
    member.kind = ArchiveMember::Kind::kHardLink;
    return member;
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      member.kind = ArchiveMember::Kind::kFile;
      break;
    case AE_IFDIR:
      member.kind = ArchiveMember::Kind::kFolder;
      break;
    case AE_IFLNK:
      member.kind = ArchiveMember::Kind::kSymbolicLink;
      member.target = text(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));
      break;
    case AE_IFIFO:
      member.kind = ArchiveMember::Kind::kPipe;
      break;
    default:
      break;
  }
  return member;
}

}  // namespace viv
