#include "cli/copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/box_access.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilePiece = 256 * 1024;
constexpr int kFolderDepthMax = 100;
constexpr auto kFileSilence = std::chrono::minutes(2);

struct CopyPath {
  std::string box;  // empty: here
  std::string path;
};

// An id has neither '/' nor '.': "./a:b" is a file here.
CopyPath ParseCopyPath(const std::string& text) {
  std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) return {"", text};
  for (char c : text.substr(0, colon))
    if (!std::isalnum(static_cast<unsigned char>(c))) return {"", text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// A progress line that is overwritten, on a terminal only.
class CopyProgress {
 public:
  ~CopyProgress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  void Add(std::size_t bytes) {
    bytes_ += bytes;
    Show();
  }
  void NextFile() {
    ++files_;
    Show();
  }

 private:
  void Show() {
    auto now = std::chrono::steady_clock::now();
    if (::isatty(STDERR_FILENO) == 0 || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    fmt::print(stderr, "\r\033[K{} files, {:.1f} MB", files_, static_cast<double>(bytes_) / 1e6);
  }
  std::size_t bytes_ = 0;
  std::size_t files_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

std::string FilePath(const std::string& path) {
  return "/files?path=" + PercentEncode(path);
}

bool IsFolderInBox(const BoxAccess& box, const std::string& path) {
  json::object message;
  message["path"] = path;
  auto found = CallAgent(box, "filesystem.Filesystem/Stat", message);
  const json::value* entry = found ? Find(*found, "entry") : nullptr;
  return entry != nullptr && FindString(*entry, "type") == "FILE_TYPE_DIRECTORY";
}

Status UploadFile(const BoxAccess& box,
                  const fs::path& from,
                  const std::string& to,
                  CopyProgress& progress) {
  auto file = std::make_shared<UniqueFd>(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!*file) return FailErrno(ErrorCode::kUnavailable, "read " + from.string());
  http::ClientRequest request = AgentRequest(box, "POST", FilePath(to));
  request.headers.Set("Content-Type", "application/octet-stream");
  request.body_source = [file, &progress]() -> Task<Result<std::string>> {
    std::string piece(kFilePiece, '\0');
    ssize_t got = ::read(file->get(), piece.data(), piece.size());
    if (got < 0) co_return FailErrno(ErrorCode::kUnavailable, "read");
    piece.resize(static_cast<std::size_t>(got));
    progress.Add(piece.size());
    co_return piece;
  };
  request.timeout = kFileSilence;
  progress.NextFile();
  ASSIGN_OR_RETURN(http::ClientResponse response, http::FetchBlocking(std::move(request)), to);
  if (response.status >= 400)
    return tl::unexpected<Error>(AgentError(response.status, response.body));
  return {};
}

Status Upload(const BoxAccess& box, const fs::path& from, std::string to, CopyProgress& progress) {
  std::error_code error;
  if (to.empty() || to.ends_with('/') || IsFolderInBox(box, to))
    to += (to.empty() || to.ends_with('/') ? "" : "/") + fs::absolute(from).filename().string();
  if (!fs::is_directory(from, error)) return UploadFile(box, from, to, progress);
  auto options = fs::directory_options::none;
  for (fs::recursive_directory_iterator it(from, options, error), end; it != end;
       it.increment(error)) {
    if (error) return Fail(ErrorCode::kUnavailable, from.string() + ": " + error.message());
    const std::string there = to + "/" + it->path().lexically_relative(from).string();
    if (it->is_symlink(error)) continue;  // links are not copied
    if (it->is_directory(error)) {
      json::object message;
      message["path"] = there;
      auto made = CallAgent(box, "filesystem.Filesystem/MakeDir", message);
      if (!made && !IsFolderInBox(box, there)) return PassUp(std::move(made).error());
    } else if (it->is_regular_file(error)) {
      RETURN_IF_ERROR(UploadFile(box, it->path(), there, progress));
    }
  }
  return error ? Fail(ErrorCode::kUnavailable, from.string() + ": " + error.message()) : Status();
}

Status DownloadFile(const BoxAccess& box,
                    const std::string& from,
                    int folder,
                    const std::string& name,
                    CopyProgress& progress) {
  UniqueFd file;
  int status = 0;
  std::string refusal;
  http::StreamCallbacks callbacks;
  callbacks.on_head = [&](int code, const http::Headers&) -> Status {
    status = code;
    if (code >= 400) return {};
    // An existing link is not followed: the box may have created it.
    file = UniqueFd(::openat(folder, name.c_str(),
                             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
    return file ? Status() : FailErrno(ErrorCode::kUnavailable, "write " + name);
  };
  callbacks.on_piece = [&](std::string piece) -> Status {
    if (status >= 400) {
      refusal += piece;
      return {};
    }
    progress.Add(piece.size());
    if (::write(file.get(), piece.data(), piece.size()) != static_cast<ssize_t>(piece.size()))
      return FailErrno(ErrorCode::kUnavailable, "write " + name);
    return {};
  };
  progress.NextFile();
  http::ClientRequest request = AgentRequest(box, "GET", FilePath(from));
  request.headers.Set("Accept-Encoding", "identity");
  request.silence_timeout = kFileSilence;
  Status fetched = http::FetchStreamBlocking(std::move(request), std::move(callbacks));
  if (status >= 400) return tl::unexpected<Error>(AgentError(status, refusal));
  return fetched;
}

// Names come from the box: one plain component each, or nothing.
bool IsPlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

Status DownloadFolder(
    const BoxAccess& box, const std::string& from, int folder, int depth, CopyProgress& progress) {
  if (depth > kFolderDepthMax) return Fail(ErrorCode::kLimitExceeded, from + " is too deep");
  json::object message;
  message["path"] = from;
  message["depth"] = 1;
  ASSIGN_OR_RETURN(json::value list, CallAgent(box, "filesystem.Filesystem/ListDir", message));
  const json::value* entries = Find(list, "entries");
  if (entries == nullptr || !entries->is_array()) return {};
  for (const json::value& entry : entries->get_array()) {
    const std::string name(FindString(entry, "name"));
    if (!IsPlainName(name) || !FindString(entry, "symlinkTarget").empty()) continue;
    const std::string there = from + "/" + name;
    if (FindString(entry, "type") == "FILE_TYPE_DIRECTORY") {
      if (::mkdirat(folder, name.c_str(), 0755) != 0 && errno != EEXIST)
        return FailErrno(ErrorCode::kUnavailable, "make " + name);
      UniqueFd inner(
          ::openat(folder, name.c_str(), O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (!inner) return FailErrno(ErrorCode::kUnavailable, "open " + name);
      RETURN_IF_ERROR(DownloadFolder(box, there, inner.get(), depth + 1, progress));
    } else {
      RETURN_IF_ERROR(DownloadFile(box, there, folder, name, progress));
    }
  }
  return {};
}

Status Download(const BoxAccess& box,
                const std::string& from,
                fs::path to,
                CopyProgress& progress) {
  std::error_code error;
  if (fs::is_directory(to, error)) {
    std::string name = fs::path(from).filename().string();
    if (!IsPlainName(name)) return Fail(ErrorCode::kInvalidArgument, "'" + from + "' has no name");
    to /= name;
  }
  const bool is_folder = IsFolderInBox(box, from);
  if (is_folder) fs::create_directories(to, error);
  fs::path parent = is_folder ? to : fs::absolute(to).parent_path();
  UniqueFd folder(::open(parent.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  if (!folder) return FailErrno(ErrorCode::kUnavailable, "open " + parent.string());
  if (is_folder) return DownloadFolder(box, from, folder.get(), 0, progress);
  return DownloadFile(box, from, folder.get(), to.filename().string(), progress);
}

}  // namespace

int Copy(const Remote& remote, const std::string& from, const std::string& to) {
  const CopyPath source = ParseCopyPath(from);
  const CopyPath target = ParseCopyPath(to);
  if (source.box.empty() == target.box.empty()) {
    return PrintError(
        {ErrorCode::kInvalidArgument,
         "one of the two paths must be in a box: `viv cp FILE ID:PATH` or `viv cp ID:PATH FILE`"});
  }
  auto box = OpenBox(remote, source.box.empty() ? target.box : source.box);
  if (!box) return PrintError(box.error());
  CopyProgress progress;
  Status copied = source.box.empty() ? Upload(*box, source.path, target.path, progress)
                                     : Download(*box, source.path, target.path, progress);
  return copied ? 0 : PrintError(copied.error());
}

}  // namespace viv::cli
