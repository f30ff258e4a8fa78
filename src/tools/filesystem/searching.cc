// search_files, get_file_info and list_allowed_directories.

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "tools/filesystem/folder.h"
#include "tools/filesystem/glob.h"
#include "tools/filesystem/js_text.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kSearchedMax = 1'000'000;
constexpr std::size_t kSearchDepthMax = 400;

class Search {
 public:
  Search(const Workspace& workspace,
         std::string root,
         const Arguments& arguments,
         const CallContext& context)
      : workspace_(workspace),
        root_(std::move(root)),
        wanted_(arguments.Text("pattern")),
        context_(context) {
    for (const std::string& pattern : arguments.Texts("excludePatterns"))
      excluded_.emplace_back(pattern);
  }

  Status Look(const Folder& folder, const std::string& below, std::size_t depth) {
    for (const Entry& entry : folder.entries) {
      if (context_.cancelled) return Fail(ErrorCode::kUnavailable, "The call was cancelled");
      const std::string relative = below.empty() ? entry.name : below + "/" + entry.name;
      const std::string path = (root_ == "/" ? "" : root_) + "/" + relative;
      if (entry.is_link && LeadsOut(path)) continue;
      if (std::any_of(excluded_.begin(), excluded_.end(),
                      [&](const Glob& glob) { return glob.Matches(relative); }))
        continue;
      if (++count_ > kSearchedMax || found_.size() > kTextBytesMax)
        return Fail(ErrorCode::kLimitExceeded,
                    "There is too much to search below " + root_ +
                        ": search a folder within it, or leave some out with excludePatterns");
      if (wanted_.Matches(relative)) found_ += (found_.empty() ? "" : "\n") + path;
      if (!entry.is_folder || depth >= kSearchDepthMax) continue;
      // A folder that may not be read is passed over.
      const auto within = ListFolder(folder, entry, path);
      if (within) RETURN_IF_ERROR(Look(*within, relative, depth + 1));
    }
    return {};
  }

  const std::string& found() const { return found_; }

 private:
  // A link to nowhere may be named; one that leads outside, or in a circle, may not.
  bool LeadsOut(const std::string& path) const {
    const auto real = workspace_.Real(path);
    return !real && real.error().code != ErrorCode::kNotFound;
  }

  const Workspace& workspace_;
  std::string root_;
  Glob wanted_;
  std::vector<Glob> excluded_;
  const CallContext& context_;
  std::string found_;
  std::size_t count_ = 0;
};

Result<std::string> SearchFiles(const Workspace& workspace,
                                const Arguments& arguments,
                                const CallContext& context) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(Folder folder, ListFolder(workspace, resolved));
  Search search(workspace, resolved.real, arguments, context);
  RETURN_IF_ERROR(search.Look(folder, "", 1));
  return search.found().empty() ? "No matches found" : search.found();
}

Result<std::string> GetFileInfo(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(UniqueFd file, OpenResolved(workspace, resolved, O_PATH, "stat"));
  struct statx info {};
  if (::statx(file.get(), "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &info) != 0)
    return Fail(ErrorCode::kInternal, NodeErrorText(errno, "stat", resolved.shown));
  // Some file systems do not remember when a file was made.
  const bool has_birth = (info.stx_mask & STATX_BTIME) != 0;
  const auto yes = [](bool is) { return is ? "true" : "false"; };
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%03o", info.stx_mode & 0777u);
  return "size: " + std::to_string(info.stx_size) +
         "\ncreated: " + FormatDate(has_birth ? info.stx_btime : info.stx_ctime) +
         "\nmodified: " + FormatDate(info.stx_mtime) + "\naccessed: " + FormatDate(info.stx_atime) +
         "\nisDirectory: " + yes(S_ISDIR(info.stx_mode)) +
         "\nisFile: " + yes(S_ISREG(info.stx_mode)) + "\npermissions: " + mode.data();
}

}  // namespace

void BindSearching(ToolServer& server, const Workspace& workspace) {
  BindTextTool(server, "search_files",
               [workspace](const Arguments& arguments, const CallContext& context) {
                 return SearchFiles(workspace, arguments, context);
               });
  BindTextTool(server, "get_file_info",
               [workspace](const Arguments& arguments, const CallContext&) {
                 return GetFileInfo(workspace, arguments);
               });
  BindTextTool(server, "list_allowed_directories",
               [workspace](const Arguments&, const CallContext&) -> Result<std::string> {
                 return "Allowed directories:\n" + workspace.root();
               });
}

}  // namespace viv::tools::filesystem
