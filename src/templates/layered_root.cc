#include "templates/layered_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <set>

#include "base/text.h"

namespace viv::templates {
namespace {

constexpr int kLinksMax = 40;  // as the kernel's

UniqueFd OpenBeneath(int layer, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(
      syscall(SYS_openat2, layer, path.empty() ? "." : path.c_str(), &how, sizeof how)));
}

bool IsOpaque(int layer, const std::string& path) {
  const UniqueFd folder = OpenBeneath(layer, path, O_RDONLY | O_DIRECTORY);
  char value = 0;
  return folder && fgetxattr(folder.get(), "trusted.overlay.opaque", &value, 1) == 1 &&
         value == 'y';
}

// Whether a folder on the way to `path` hides the layers below this one.
bool IsHiddenBelow(int layer, const std::string& path) {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
    if (IsOpaque(layer, path.substr(0, at))) return true;
  return false;
}

bool IsWhiteoutEntry(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == 0;
}

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string Below(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

// Puts the names of `path` before those that are still to be followed, whose last is the next.
void PushNames(std::vector<std::string>& names, std::string_view path) {
  const auto parts = Split(path, '/');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (!part->empty() && *part != ".") names.emplace_back(*part);
}

}  // namespace

LayeredRoot::LayeredRoot(const std::vector<storage::OverlayMount>& overlays) {
  for (const storage::OverlayMount& overlay : overlays) {
    OpenOverlay opened{.mount_point = overlay.mount_point, .layers = {}};
    for (const std::string& layer : overlay.layers)
      opened.layers.emplace_back(open(layer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    overlays_.push_back(std::move(opened));
  }
}

LayeredRoot::Location LayeredRoot::Locate(const std::string& path) const {
  Location location{.overlay = 0, .path = path};
  for (std::size_t i = 0; i < overlays_.size(); ++i) {
    const std::string& at = overlays_[i].mount_point;
    if (at.empty()) {
      if (location.path == path) location.overlay = i;
    } else if (path == at || path.starts_with(at + "/")) {
      location = {.overlay = i, .path = path.size() > at.size() ? path.substr(at.size() + 1) : ""};
    }
  }
  return location;
}

UniqueFd LayeredRoot::OpenTopmost(const std::string& path, std::uint64_t flags) const {
  if (overlays_.empty()) return {};
  const Location location = Locate(path);
  for (const UniqueFd& layer : overlays_[location.overlay].layers) {
    if (!layer) return {};
    UniqueFd found = OpenBeneath(layer.get(), location.path, flags);
    if (found) {
      struct stat status {};
      if (fstat(found.get(), &status) != 0 || IsWhiteoutEntry(status)) return {};
      return found;
    }
    // Anything but a missing name hides what is below: a file or a link in the place of a folder.
    if (errno != ENOENT || IsHiddenBelow(layer.get(), location.path)) return {};
  }
  return {};
}

LayeredRoot::Entry LayeredRoot::Stat(const std::string& path) const {
  const UniqueFd found = OpenTopmost(path, O_PATH);
  struct stat status {};
  if (!found || fstat(found.get(), &status) != 0) return {};
  Entry entry;
  entry.ownership = {
      .mode = status.st_mode & 07777U, .user = status.st_uid, .group = status.st_gid};
  entry.kind = S_ISREG(status.st_mode)   ? Entry::Kind::kFile
               : S_ISDIR(status.st_mode) ? Entry::Kind::kFolder
               : S_ISLNK(status.st_mode) ? Entry::Kind::kLink
                                         : Entry::Kind::kOther;
  return entry;
}

std::optional<std::string> LayeredRoot::ReadLink(const std::string& path) const {
  const UniqueFd link = OpenTopmost(path, O_PATH);
  std::string target(PATH_MAX, 0);
  const ssize_t size = link ? readlinkat(link.get(), "", target.data(), target.size()) : -1;
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return std::nullopt;
  target.resize(static_cast<std::size_t>(size));
  return target;
}

std::optional<std::string> LayeredRoot::Resolve(std::string_view path) const {
  std::vector<std::string> names;
  PushNames(names, path);
  std::string at;
  int links = 0;
  bool is_missing = false;
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (name == "..") {
      if (is_missing) return std::nullopt;
      at = ParentOf(at);
      continue;
    }
    const std::string next = Below(at, name);
    if (next.size() >= PATH_MAX) return std::nullopt;
    const Entry::Kind kind = is_missing ? Entry::Kind::kMissing : Stat(next).kind;
    if (kind == Entry::Kind::kLink) {
      const auto target = ReadLink(next);
      if (!target || ++links > kLinksMax) return std::nullopt;
      if (target->starts_with('/')) at.clear();
      PushNames(names, *target);
      continue;
    }
    if (kind == Entry::Kind::kMissing) {
      is_missing = true;
    } else if (kind != Entry::Kind::kFolder && !names.empty()) {
      return std::nullopt;
    }
    at = next;
  }
  return at;
}

std::optional<std::string> LayeredRoot::Read(const std::string& path, std::size_t bytes_max) const {
  const UniqueFd file = OpenTopmost(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<std::size_t>(status.st_size) > bytes_max) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), 0);
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

std::vector<std::string> LayeredRoot::List(const std::string& path, std::size_t count_max) const {
  std::set<std::string> names;
  if (overlays_.empty()) return {};
  const Location location = Locate(path);
  for (const UniqueFd& layer : overlays_[location.overlay].layers) {
    UniqueFd folder = OpenBeneath(layer.get(), location.path, O_RDONLY | O_DIRECTORY);
    if (!folder && errno != ENOENT) break;
    const bool hides =
        IsOpaque(layer.get(), location.path) || IsHiddenBelow(layer.get(), location.path);
    if (folder) {
      DIR* listing = fdopendir(folder.release());
      while (const dirent* entry = listing == nullptr ? nullptr : readdir(listing)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && names.size() < count_max) names.emplace(name);
      }
      if (listing != nullptr) closedir(listing);
    }
    if (hides) break;
  }
  std::vector<std::string> list;
  for (const std::string& name : names)
    if (Stat(Below(path, name)).kind != Entry::Kind::kMissing) list.push_back(name);
  return list;
}

}  // namespace viv::templates
