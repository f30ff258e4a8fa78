// list_directory and get_file_info.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "tools/desktop_commander/commander.h"
#include "tools/desktop_commander/file_facts.h"
#include "tools/desktop_commander/walk.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kEntriesShownMax = 20'000;
constexpr std::size_t kCountLinesMax = 10 << 20;

Result<std::vector<FolderEntry>> EntriesOf(const Commander& commander, const std::string& path) {
  ASSIGN_OR_RETURN(AllowedPath allowed, commander.folders.Existing(path, "scandir"));
  ASSIGN_OR_RETURN(UniqueFd folder, OpenAllowed(allowed, O_RDONLY | O_DIRECTORY, "scandir"));
  return ReadFolder(std::move(folder));
}

ToolResult ListDirectoryTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  auto entries = EntriesOf(commander, arguments.Text("path"));
  if (!entries) return Failed(entries.error());
  std::string text;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    if (i > 0) text += '\n';
    if (i == kEntriesShownMax) {
      text += "[" + std::to_string(entries->size() - i) + " more are not shown]";
      break;
    }
    const FolderEntry& entry = (*entries)[i];
    text += (entry.kind == EntryKind::kFolder ? "[DIR] " : "[FILE] ") + entry.name;
  }
  return Text(std::move(text));
}

std::int64_t BornAt(int fd, const struct stat& status) {
  struct statx more {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 && (more.stx_mask & STATX_BTIME) != 0)
    return more.stx_btime.tv_sec;
  return status.st_ctime;
}

std::string Octal(mode_t mode) {
  std::string digits;
  for (int shift = 6; shift >= 0; shift -= 3)
    digits += static_cast<char>('0' + ((mode >> shift) & 7));
  return digits;
}

// Counted for text and binary files alike, as the appending of lines needs it.
std::string LineFacts(const AllowedPath& allowed) {
  auto file = OpenFile(allowed, "open");
  if (!file) return "";
  auto content = ReadAll(file->get(), kCountLinesMax);
  if (!content) return "";
  const auto lines = std::ranges::count(*content, '\n') + 1;
  return "\nlineCount: " + std::to_string(lines) + "\nlastLine: " + std::to_string(lines - 1) +
         "\nappendPosition: " + std::to_string(lines);
}

ToolResult FileInfoTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  auto allowed = commander.folders.Existing(arguments.Text("path"), "stat");
  if (!allowed) return Failed(allowed.error());
  auto fd = OpenAllowed(*allowed, O_PATH, "stat");
  if (!fd) return Failed(fd.error());
  struct stat status {};
  ::fstat(fd->get(), &status);
  const bool is_file = S_ISREG(status.st_mode);
  std::string text = "size: " + std::to_string(status.st_size) +
                     "\ncreated: " + JavaScriptDate(BornAt(fd->get(), status)) +
                     "\nmodified: " + JavaScriptDate(status.st_mtime) +
                     "\naccessed: " + JavaScriptDate(status.st_atime) +
                     "\nisDirectory: " + (S_ISDIR(status.st_mode) ? "true" : "false") +
                     "\nisFile: " + (is_file ? "true" : "false") +
                     "\npermissions: " + Octal(status.st_mode);
  if (is_file && !IsImageType(MediaTypeOf(allowed->real))) text += LineFacts(*allowed);
  return Text(std::move(text));
}

}  // namespace

void AddFolderTools(Binder& binder) {
  binder.On("list_directory", ListDirectoryTool);
  binder.On("get_file_info", FileInfoTool);
}

}  // namespace viv::tools::commander
