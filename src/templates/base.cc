#include "templates/base.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/ids.h"
#include "templates/base_parts.h"
#include "templates/folder_writer.h"
#include "templates/system_files.h"

namespace viv::templates {
namespace {

// Raised when what is written here changes, so that an older `base` is made anew.
constexpr int kBaseVersion = 1;

// With a merged /usr, which every Debian since 12 has, these are links into it.
Status WriteUsrLinks(const FolderWriter& root) {
  for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64", "libx32"}) {
    const std::string host = std::string("/") + name;
    struct stat status {};
    if (lstat(host.c_str(), &status) != 0) continue;
    if (!S_ISLNK(status.st_mode)) {
      return Fail(ErrorCode::kUnavailable,
                  host + " of this machine is not a link into /usr (install the package usrmerge)");
    }
    RETURN_IF_ERROR(root.Link(name, std::string("usr/") + name));
  }
  return {};
}

Status WriteFolders(const FolderWriter& root) {
  RETURN_IF_ERROR(WriteMountPoints(root));
  RETURN_IF_ERROR(root.Folder("root", {.mode = 0700}));
  RETURN_IF_ERROR(root.Folder("var/tmp", {.mode = 01777}));
  RETURN_IF_ERROR(root.Folder("var/mail", {.mode = 02775, .user = 0, .group = 8}));
  for (const char* folder :
       {"boot", "home", "media", "mnt", "opt", "srv", "usr", "run/lock", "var/backups", "var/local",
        "var/log/apt", "var/spool", "var/cache/apt/archives/partial", "var/cache/debconf",
        "var/lib/apt/lists/partial", "var/lib/misc", "var/lib/pam"})
    RETURN_IF_ERROR(root.Folder(folder));
  RETURN_IF_ERROR(root.Link("var/run", "/run"));
  return root.Link("var/lock", "/run/lock");
}

std::string DescribeFile(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) return std::string(path) + " -\n";
  return std::string(path) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(status.st_size) + "\n";
}

}  // namespace

std::string HostFingerprint() {
  std::string text = std::to_string(kBaseVersion) + "\n";
  for (const char* path : {"/var/lib/dpkg/status", "/etc/ld.so.cache", "/usr/lib/os-release",
                           "/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/etc/ssl/certs"})
    text += DescribeFile(path);
  return Sha256Hex(text);
}

Result<BaseOverlays> MakeBase(const std::string& folder, const std::string& template_id) {
  ASSIGN_OR_RETURN(const FolderWriter root, FolderWriter::Create(folder + "/root"));
  RETURN_IF_ERROR(WriteUsrLinks(root));
  RETURN_IF_ERROR(WriteFolders(root));
  RETURN_IF_ERROR(CopyHostEtc(root), "copy from the host's /etc");
  RETURN_IF_ERROR(WriteEtc(root));
  RETURN_IF_ERROR(CopyPackageDatabase(root), "copy the package database");
  RETURN_IF_ERROR(WriteNetworkFiles(root));
  RETURN_IF_ERROR(WriteHome(root, {}));
  RETURN_IF_ERROR(WriteMarkers(root, template_id));

  ASSIGN_OR_RETURN(const FolderWriter usr, FolderWriter::Create(folder + "/usr"));
  RETURN_IF_ERROR(WriteUsrCorrections(usr));
  return BaseOverlays{
      .overlays = {storage::OverlayMount{.mount_point = "", .layers = {root.root()}},
                   storage::OverlayMount{.mount_point = "usr", .layers = {usr.root(), "/usr"}}},
      .missing = FindMissingPrograms()};
}

}  // namespace viv::templates
