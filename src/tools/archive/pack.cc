#include "tools/archive/pack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/archive_path.h"
#include "tools/archive/beneath.h"
#include "tools/archive/gzip_output.h"
#include "tools/archive/staging.h"
#include "tools/archive/tar_header.h"

namespace viv::tools {
namespace {

constexpr std::size_t kFileBlock = 256 << 10;
constexpr std::uint64_t kWithin = kNoLinks | RESOLVE_NO_XDEV;

struct ListCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class Packer {
 public:
  Packer(UniqueFd root, int output, const SkipReporter& report, PackLimits limits)
      : root_(std::move(root)),
        out_(output),
        report_(report),
        limits_(limits),
        block_(kFileBlock, '\0') {}

  Status Run() {
    RETURN_IF_ERROR(Entry(""));
    // Each level is the names that are still to come, the next one last. No descriptor is held: a
    // tree may be deeper than there are any.
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.names.empty()) {
        levels_.pop_back();
        continue;
      }
      const std::string path = level.path + (level.path.empty() ? "" : "/") + level.names.back();
      level.names.pop_back();
      RETURN_IF_ERROR(Entry(path));
    }
    RETURN_IF_ERROR(out_.Write(std::string(2 * kTarBlockBytes, '\0')));
    return out_.Finish();
  }

 private:
  struct Level {
    std::string path;
    std::vector<std::string> names;
  };

  void LeaveOut(const std::string& path, const std::string& why) {
    report_("left out '" + PrintableArchiveName(path) + "': " + why);
  }
  static std::string NameOf(const std::string& path) { return path.empty() ? "." : "./" + path; }

  Status Entry(const std::string& path) {
    if (++entries_ > limits_.entries_max)
      return Fail(ErrorCode::kLimitExceeded,
                  "the folder has more than " + std::to_string(limits_.entries_max) + " entries");
    const UniqueFd node = OpenBeneath(root_.get(), path, O_PATH | O_NOFOLLOW, 0, kWithin);
    struct stat status {};
    if (!node || ::fstat(node.get(), &status) != 0) {
      LeaveOut(path, std::strerror(errno));
      return {};
    }
    TarMember member;
    member.name = NameOf(path);
    member.mode = status.st_mode;
    member.modified = status.st_mtime;
    switch (status.st_mode & S_IFMT) {
      case S_IFDIR:
        return Folder(path, std::move(member));
      case S_IFREG:
        return File(path, std::move(member), status);
      case S_IFLNK:
        return Link(path, std::move(member), node.get());
      default:
        LeaveOut(path, "it is neither file nor folder nor link");
        return {};
    }
  }

  Status Folder(const std::string& path, TarMember member) {
    member.type = TarMember::Type::kFolder;
    RETURN_IF_ERROR(out_.Write(TarHeader(member)));
    UniqueFd folder = OpenBeneath(root_.get(), path, O_RDONLY | O_DIRECTORY, 0, kWithin);
    std::unique_ptr<DIR, ListCloser> list(folder ? ::fdopendir(folder.get()) : nullptr);
    if (list == nullptr) {
      if (path.empty()) return FailArchiveCall("read the folder", errno);
      LeaveOut(path + "/*", std::strerror(errno));
      return {};
    }
    (void)folder.release();
    Level level{path, {}};
    while (const dirent* entry = ::readdir(list.get())) {
      std::string name = entry->d_name;
      if (name == "." || name == ".." || (path.empty() && name.starts_with(kStagingPrefix)))
        continue;
      level.names.push_back(std::move(name));
      if (level.names.size() > limits_.entries_max)
        return Fail(ErrorCode::kLimitExceeded,
                    "'" + PrintableArchiveName(path) + "' has too many entries");
    }
    std::sort(level.names.rbegin(), level.names.rend());
    levels_.push_back(std::move(level));
    return {};
  }

  Status Link(const std::string& path, TarMember member, int node) {
    char target[kArchivePathMax + 1];
    const ssize_t length = ::readlinkat(node, "", target, sizeof target);
    if (length <= 0 || length > static_cast<ssize_t>(kArchivePathMax)) {
      LeaveOut(path, "the link cannot be read");
      return {};
    }
    member.link.assign(target, static_cast<std::size_t>(length));
    const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    bool stays = LinkStaysInside(member.link, depth, ArchiveUse::kFolder);
    // By its spelling it may stay and lead out over another link.
    if (stays &&
        !OpenBeneath(root_.get(), path, O_PATH, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS))
      stays = errno != EXDEV && errno != EAGAIN;
    if (!stays) {
      LeaveOut(path, "the link leads out of the folder");
      return {};
    }
    member.type = TarMember::Type::kLink;
    return out_.Write(TarHeader(member));
  }

  Status File(const std::string& path, TarMember member, const struct stat& status) {
    if (status.st_nlink > 1) {
      auto [first, is_new] = inodes_.try_emplace({status.st_dev, status.st_ino}, member.name);
      if (!is_new) {
        member.type = TarMember::Type::kHardLink;
        member.link = first->second;
        return out_.Write(TarHeader(member));
      }
    }
    return Content(path, member);
  }

  Status Content(const std::string& path, TarMember& member) {
    const UniqueFd file =
        OpenBeneath(root_.get(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, kWithin);
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      LeaveOut(path, file ? "it is no file any more" : std::strerror(errno));
      ForgetInode(member.name);
      return {};
    }
    member.size = static_cast<std::uint64_t>(status.st_size);
    if (member.size > limits_.file_bytes_max) {
      LeaveOut(path, "it is too large");
      ForgetInode(member.name);
      return {};
    }
    bytes_ += member.size;
    if (bytes_ > limits_.bytes_max)
      return Fail(ErrorCode::kLimitExceeded,
                  "the folder has more than " + std::to_string(limits_.bytes_max) + " bytes");
    RETURN_IF_ERROR(out_.Write(TarHeader(member)));
    return Copy(file.get(), path, member.size);
  }

  // A file that was left out cannot be linked to.
  void ForgetInode(const std::string& name) {
    std::erase_if(inodes_, [&](const auto& inode) { return inode.second == name; });
  }

  Status Copy(int file, const std::string& path, std::uint64_t size) {
    std::uint64_t left = size;
    while (left > 0) {
      const ssize_t got = ::read(file, block_.data(), std::min<std::uint64_t>(left, kFileBlock));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      RETURN_IF_ERROR(out_.Write({block_.data(), static_cast<std::size_t>(got)}));
      left -= static_cast<std::uint64_t>(got);
    }
    if (left > 0) report_("'" + PrintableArchiveName(path) + "' became shorter while it was read");
    const std::string zeros(std::min<std::uint64_t>(left, kFileBlock), '\0');
    while (left > 0) {
      const std::uint64_t now = std::min<std::uint64_t>(left, zeros.size());
      RETURN_IF_ERROR(out_.Write(std::string_view(zeros).substr(0, now)));
      left -= now;
    }
    return out_.Write(std::string(TarPadding(size), '\0'));
  }

  const UniqueFd root_;
  GzipOutput out_;
  const SkipReporter& report_;
  const PackLimits limits_;
  std::string block_;
  std::vector<Level> levels_;
  std::size_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::pair<dev_t, ino_t>, std::string> inodes_;  // of files with several names
};

}  // namespace

Status Pack(const std::string& folder, int output, const SkipReporter& report, PackLimits limits) {
  UniqueFd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root) {
    if (errno == ENOENT) return Fail(ErrorCode::kNotFound, "there is no folder " + folder);
    return FailArchiveCall("open " + folder, errno);
  }
  return Packer(std::move(root), output, report, limits).Run();
}

}  // namespace viv::tools
