// list_directory, list_directory_with_sizes and directory_tree.

#include <fcntl.h>

#include <algorithm>
#include <vector>

#include "tools/filesystem/folder.h"
#include "tools/filesystem/glob.h"
#include "tools/filesystem/js_text.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kTreeEntriesMax = 200'000;
constexpr std::size_t kTreeDepthMax = 200;

std::string_view KindLabel(const Entry& entry) {
  return entry.is_folder ? "[DIR]" : "[FILE]";
}

Result<std::string> ListDirectory(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(Folder folder, ListFolder(workspace, resolved));
  std::string text;
  for (const Entry& entry : folder.entries) {
    if (!text.empty()) text += '\n';
    text += std::string(KindLabel(entry)) + " " + entry.name;
  }
  return text;
}

struct SizedEntry {
  Entry entry;
  std::uint64_t bytes = 0;
};

// A link counts with what it leads to, as long as that lies in the workspace.
std::uint64_t SizeOf(const Workspace& workspace,
                     const ResolvedPath& resolved,
                     const Folder& folder,
                     const Entry& entry) {
  struct stat status {};
  if (entry.is_link) {
    const auto target = workspace.Real(resolved.real + "/" + entry.name);
    if (!target) return 0;
    const auto opened = workspace.Open(*target, O_PATH);
    if (!opened || ::fstat(opened->get(), &status) != 0) return 0;
  } else if (::fstatat(folder.fd.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
}

std::string PadEnd(std::string text, std::size_t width) {
  const std::size_t length = Utf16Length(text);
  return length < width ? text + std::string(width - length, ' ') : text;
}

std::string PadStart(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

Result<std::string> ListWithSizes(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(Folder folder, ListFolder(workspace, resolved));
  std::vector<SizedEntry> entries;
  std::uint64_t total = 0, files = 0;
  for (Entry& entry : folder.entries) {
    const std::uint64_t bytes = SizeOf(workspace, resolved, folder, entry);
    if (!entry.is_folder) ++files;
    if (!entry.is_folder) total += bytes;
    entry.name = AsUtf8(std::move(entry.name));
    entries.push_back({std::move(entry), bytes});
  }
  const bool by_size = arguments.Text("sortBy") == "size";
  std::stable_sort(entries.begin(), entries.end(),
                   [by_size](const SizedEntry& a, const SizedEntry& b) {
                     return by_size ? a.bytes > b.bytes : SortsBefore(a.entry.name, b.entry.name);
                   });
  std::string text;
  for (const SizedEntry& one : entries) {
    text += std::string(KindLabel(one.entry)) + " " + PadEnd(one.entry.name, 30) + " ";
    if (!one.entry.is_folder) text += PadStart(FormatSize(one.bytes), 10);
    text += '\n';
  }
  return text + "\nTotal: " + std::to_string(files) + " files, " +
         std::to_string(entries.size() - files) +
         " directories\nCombined size: " + FormatSize(total);
}

// A pattern without a star leaves out that name at any depth.
std::vector<Glob> ExclusionsOfTree(const std::vector<std::string>& patterns) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) {
    globs.emplace_back(pattern);
    if (pattern.find('*') != pattern.npos) continue;
    globs.emplace_back("**/" + pattern);
    globs.emplace_back("**/" + pattern + "/**");
  }
  return globs;
}

class TreeBuilder {
 public:
  TreeBuilder(std::string root, std::vector<Glob> excluded, const CallContext& context)
      : root_(std::move(root)), excluded_(std::move(excluded)), context_(context) {}

  Result<json::array> Build(const Folder& folder, const std::string& below, std::size_t depth) {
    json::array out;
    for (const Entry& entry : folder.entries) {
      if (context_.cancelled) return Fail(ErrorCode::kUnavailable, "The call was cancelled");
      const std::string relative = below.empty() ? entry.name : below + "/" + entry.name;
      if (IsExcluded(relative)) continue;
      if (++count_ > kTreeEntriesMax || depth > kTreeDepthMax)
        return Fail(ErrorCode::kLimitExceeded,
                    "The tree of " + root_ +
                        " has more than 200000 entries or 200 levels: ask for a folder within it, "
                        "or leave some out with excludePatterns");
      json::object item{{"name", AsUtf8(entry.name)},
                        {"type", entry.is_folder ? "directory" : "file"}};
      if (entry.is_folder) {
        ASSIGN_OR_RETURN(Folder within, ListFolder(folder, entry, root_ + "/" + relative));
        ASSIGN_OR_RETURN(item["children"], Build(within, relative, depth + 1));
      }
      out.push_back(std::move(item));
    }
    return out;
  }

 private:
  bool IsExcluded(const std::string& relative) const {
    return std::any_of(excluded_.begin(), excluded_.end(),
                       [&](const Glob& glob) { return glob.Matches(relative); });
  }

  std::string root_;
  std::vector<Glob> excluded_;
  const CallContext& context_;
  std::size_t count_ = 0;
};

Result<std::string> DirectoryTree(const Workspace& workspace,
                                  const Arguments& arguments,
                                  const CallContext& context) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(Folder folder, ListFolder(workspace, resolved));
  TreeBuilder builder(resolved.real, ExclusionsOfTree(arguments.Texts("excludePatterns")), context);
  ASSIGN_OR_RETURN(json::array tree, builder.Build(folder, "", 1));
  return PrettyJson(tree);
}

}  // namespace

void BindListing(ToolServer& server, const Workspace& workspace) {
  BindTextTool(server, "list_directory",
               [workspace](const Arguments& arguments, const CallContext&) {
                 return ListDirectory(workspace, arguments);
               });
  BindTextTool(server, "list_directory_with_sizes",
               [workspace](const Arguments& arguments, const CallContext&) {
                 return ListWithSizes(workspace, arguments);
               });
  BindTextTool(server, "directory_tree",
               [workspace](const Arguments& arguments, const CallContext& context) {
                 return DirectoryTree(workspace, arguments, context);
               });
}

}  // namespace viv::tools::filesystem
