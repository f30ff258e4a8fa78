#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "templates/base_parts.h"

namespace viv::templates {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kCopiedFileBytesMax = 64 << 20;
constexpr std::size_t kCopiedFilesMax = 50'000;

// Configuration that programs in /usr come with. What could name this machine, its users, its
// network or its secrets is not in the list.
constexpr const char* kEtcNames[] = {"adduser.conf",
                                     "bash_completion.d",
                                     "bindresvport.blacklist",
                                     "ca-certificates",
                                     "ca-certificates.conf",
                                     "debconf.conf",
                                     "debian_version",
                                     "default/useradd",
                                     "deluser.conf",
                                     "dpkg",
                                     "fonts",
                                     "gai.conf",
                                     "groff",
                                     "gss",
                                     "ImageMagick-6",
                                     "inputrc",
                                     "ld.so.cache",
                                     "ld.so.conf",
                                     "ld.so.conf.d",
                                     "libaudit.conf",
                                     "locale.alias",
                                     "login.defs",
                                     "magic",
                                     "magic.mime",
                                     "mailcap",
                                     "manpath.config",
                                     "mime.types",
                                     "nanorc",
                                     "netconfig",
                                     "java-11-openjdk",
                                     "java-17-openjdk",
                                     "pam.conf",
                                     "perl",
                                     "protocols",
                                     "python3",
                                     "python3.11",
                                     "python3.12",
                                     "python3.13",
                                     "rpc",
                                     "security",
                                     "services",
                                     "ssl/certs",
                                     "ssl/openssl.cnf",
                                     "terminfo",
                                     "ucf.conf",
                                     "vim",
                                     "wgetrc",
                                     "xattr.conf",
                                     "xml"};

class HostCopier {
 public:
  explicit HostCopier(const FolderWriter& root) : root_(root) {}

  // Takes over a file, link or folder of the host; what is not there or not for everybody is left
  // out.
  Status Copy(const std::string& path) {
    struct stat status {};
    const std::string host = "/" + path;
    if (lstat(host.c_str(), &status) != 0) return {};
    if (S_ISLNK(status.st_mode)) return CopyLink(path);
    if (S_ISDIR(status.st_mode)) return CopyFolder(path, status);
    if (S_ISREG(status.st_mode)) return CopyFile(path, status);
    return {};
  }

  // The files of a folder by another name: thousands, and a layer is only read. A package tool puts
  // new files in the place of old ones, so these stay as they are.
  Status LinkFiles(const std::string& folder) {
    RETURN_IF_ERROR(root_.Folder(folder));
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/" + folder, error)) {
      const std::string path = folder + "/" + entry.path().filename().string();
      struct stat status {};
      if (lstat(entry.path().c_str(), &status) != 0 || !IsForEverybody(status)) continue;
      if (link(entry.path().c_str(), root_.Path(path).c_str()) == 0) continue;
      RETURN_IF_ERROR(CopyFile(path, status));  // on another disk
    }
    return {};
  }

 private:
  static bool IsForEverybody(const struct stat& status) {
    return S_ISREG(status.st_mode) && (status.st_mode & S_IROTH) != 0 && status.st_uid == 0;
  }

  Status Count() {
    if (++files_ > kCopiedFilesMax)
      return Fail(ErrorCode::kLimitExceeded, "there are too many files");
    return {};
  }

  Status CopyLink(const std::string& path) {
    RETURN_IF_ERROR(Count());
    std::error_code error;
    const std::string target = fs::read_symlink("/" + path, error);
    if (error) return {};
    return root_.Link(path, target);
  }

  Status CopyFolder(const std::string& path, const struct stat& status) {
    if ((status.st_mode & S_IXOTH) == 0) return {};
    RETURN_IF_ERROR(root_.Folder(path, {.mode = status.st_mode & 07777U}));
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/" + path, error))
      RETURN_IF_ERROR(Copy(path + "/" + entry.path().filename().string()));
    return {};
  }

  Status CopyFile(const std::string& path, const struct stat& status) {
    RETURN_IF_ERROR(Count());
    if (!IsForEverybody(status)) return {};
    if (path.find("snakeoil") != std::string::npos)
      return {};  // made for this machine, with its name
    if (static_cast<std::uintmax_t>(status.st_size) > kCopiedFileBytesMax) return {};
    std::ifstream file("/" + path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return root_.File(path, text.str(), {.mode = status.st_mode & 0777U});
  }

  const FolderWriter& root_;
  std::size_t files_ = 0;
};

// Links of programs, without those of manual pages.
Status CopyAlternatives(const FolderWriter& root) {
  RETURN_IF_ERROR(root.Folder("etc/alternatives"));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc/alternatives", error)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".gz") || !entry.is_symlink(error)) continue;
    const std::string target = fs::read_symlink(entry.path(), error);
    if (!target.starts_with("/usr/")) continue;
    RETURN_IF_ERROR(root.Link("etc/alternatives/" + name, target));
  }
  return {};
}

// Where packages come from, unless the address holds a name and password.
Status CopySources(const FolderWriter& root) {
  HostCopier copier(root);
  RETURN_IF_ERROR(copier.Copy("etc/apt/trusted.gpg.d"));
  RETURN_IF_ERROR(copier.Copy("etc/apt/keyrings"));
  RETURN_IF_ERROR(root.Folder("etc/apt/sources.list.d"));
  RETURN_IF_ERROR(root.Folder("etc/apt/preferences.d"));
  std::vector<fs::path> files = {"/etc/apt/sources.list"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc/apt/sources.list.d", error))
    files.push_back(entry.path());
  for (const fs::path& path : files) {
    std::ifstream file(path);
    if (!file || (path.extension() != ".list" && path.extension() != ".sources")) continue;
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().find('@') != std::string::npos) continue;
    RETURN_IF_ERROR(root.File(path.string().substr(1), text.str()));
  }
  return {};
}

}  // namespace

Status CopyHostEtc(const FolderWriter& root) {
  HostCopier copier(root);
  for (const char* name : kEtcNames) RETURN_IF_ERROR(copier.Copy(std::string("etc/") + name));
  RETURN_IF_ERROR(CopyAlternatives(root));
  return CopySources(root);
}

Status CopyPackageDatabase(const FolderWriter& root) {
  HostCopier copier(root);
  RETURN_IF_ERROR(root.Folder("var/lib/dpkg/updates"));
  // The host's names accounts that a box does not have, at which dpkg would stop.
  RETURN_IF_ERROR(root.File("var/lib/dpkg/statoverride", ""));
  for (const char* name : {"status", "available", "diversions", "arch", "alternatives", "triggers"})
    RETURN_IF_ERROR(copier.Copy(std::string("var/lib/dpkg/") + name));
  RETURN_IF_ERROR(copier.LinkFiles("var/lib/dpkg/info"));
  return copier.Copy("var/lib/apt/extended_states");
}

}  // namespace viv::templates
