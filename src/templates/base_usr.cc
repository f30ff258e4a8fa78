#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "templates/base_parts.h"
#include "templates/system_files.h"

namespace viv::templates {
namespace {

namespace fs = std::filesystem;

// A folder that stands above one of /usr takes its mode and owner, since the topmost one is seen.
Status Mirror(const FolderWriter& usr, const std::string& path) {
  struct stat status {};
  if (stat(("/usr/" + path).c_str(), &status) != 0) return usr.Folder(path);
  return usr.Folder(
      path, {.mode = status.st_mode & 07777U, .user = status.st_uid, .group = status.st_gid});
}

// Everybody in a box may install into /usr/local, as in E2B's own base.
Status OpenUsrLocal(const FolderWriter& usr) {
  for (const char* folder :
       {"local", "local/bin", "local/etc", "local/games", "local/include", "local/lib",
        "local/lib/node_modules", "local/sbin", "local/share", "local/share/man", "local/src"})
    RETURN_IF_ERROR(usr.Folder(folder, {.mode = 0777}));
  // Debian's npm installs there by itself and believes the system's authorities, other builds need
  // to be told.
  RETURN_IF_ERROR(usr.Folder("etc"));
  RETURN_IF_ERROR(
      usr.File("etc/npmrc", "prefix=/usr/local\ncafile=/etc/ssl/certs/ca-certificates.crt\n"));
  // Existing configuration there belongs to the host.
  RETURN_IF_ERROR(usr.MakeOpaque("etc"));
  return usr.MakeOpaque("local/etc");
}

// pip refuses to touch a Python that a package manager looks after; in a box nobody else does.
Status LetPipInstall(const FolderWriter& usr) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("python3")) continue;
    if (fs::exists(entry.path() / "EXTERNALLY-MANAGED", error)) {
      RETURN_IF_ERROR(Mirror(usr, "lib"));
      RETURN_IF_ERROR(Mirror(usr, "lib/" + name));
      RETURN_IF_ERROR(usr.Whiteout("lib/" + name + "/EXTERNALLY-MANAGED"));
    }
    if (name.size() > 8) {  // python3.11, not python3
      RETURN_IF_ERROR(usr.Folder("local/lib/" + name, {.mode = 0777}));
      RETURN_IF_ERROR(usr.Folder("local/lib/" + name + "/dist-packages", {.mode = 0777}));
    }
  }
  return {};
}

// A link to /opt or /root would be dead in a box and hide a program that is not.
Status HideLinksThatLeave(const FolderWriter& usr) {
  for (const char* folder : {"local/bin", "local/sbin"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(std::string("/usr/") + folder, error)) {
      if (!entry.is_symlink(error)) continue;
      const fs::path target = fs::weakly_canonical(entry.path(), error);
      if (error || !target.string().starts_with("/usr/"))
        RETURN_IF_ERROR(usr.Whiteout(std::string(folder) + "/" + entry.path().filename().string()));
    }
  }
  return {};
}

// Whether the program is there for who sees only /usr.
bool HasProgram(const std::string& name) {
  for (const char* folder : {"/usr/local/bin/", "/usr/local/sbin/", "/usr/bin/", "/usr/sbin/"}) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(folder + name, error);
    if (!error && found.string().starts_with("/usr/") && access(found.c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

}  // namespace

Status WriteUsrCorrections(const FolderWriter& usr) {
  RETURN_IF_ERROR(OpenUsrLocal(usr));
  RETURN_IF_ERROR(LetPipInstall(usr));
  RETURN_IF_ERROR(HideLinksThatLeave(usr));
  if (!HasProgram("python") && HasProgram("python3")) {
    RETURN_IF_ERROR(Mirror(usr, "bin"));
    RETURN_IF_ERROR(usr.Link("bin/python", "python3"));
  }
  return {};
}

std::vector<std::string> FindMissingPrograms() {
  std::vector<std::string> missing;
  for (const char* name : {"bash", "python3", "pip3", "node", "npm", "git", "sudo", "curl", "ps",
                           "tput", "ss", "pgrep", "tar", "gzip"}) {
    if (!HasProgram(name)) missing.emplace_back(name);
  }
  return missing;
}

}  // namespace viv::templates
