// edit_file.

#include <cerrno>

#include "tools/filesystem/js_text.h"
#include "tools/filesystem/line_diff.h"
#include "tools/filesystem/resolved_path.h"
#include "tools/filesystem/text_edit.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kEditsPerCallMax = 1000;

// In a fence of more backticks than the text has in a row.
std::string Fenced(const std::string& diff) {
  std::string fence = "```";
  while (diff.find(fence) != diff.npos) fence += '`';
  return fence + "diff\n" + diff + fence + "\n\n";
}

Result<std::string> ReadForEditing(const Workspace& workspace, const ResolvedPath& resolved) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(workspace, resolved));
  auto bytes = ReadAll(file.get(), kTextBytesMax);
  if (!bytes)
    return Fail(bytes.error().code, "Cannot edit " + resolved.shown + ": " + bytes.error().message);
  return WithoutCarriageReturns(*bytes);
}

// All edits are made, or none.
Result<std::string> EditFile(const Workspace& workspace,
                             const Arguments& arguments,
                             const CallContext& context) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  const json::array& edits = arguments.List("edits");
  if (edits.size() > kEditsPerCallMax)
    return Fail(ErrorCode::kLimitExceeded,
                "A call can make 1000 edits at most: make several calls");
  ASSIGN_OR_RETURN(const std::string before, ReadForEditing(workspace, resolved));
  std::string after = before;
  for (const json::value& edit : edits) {
    if (context.cancelled) return Fail(ErrorCode::kUnavailable, "The call was cancelled");
    const std::string_view old_text = FindString(edit, "oldText");
    if (!ReplaceText(after, WithoutCarriageReturns(old_text),
                     WithoutCarriageReturns(FindString(edit, "newText"))))
      return Fail(ErrorCode::kInvalidArgument,
                  "Could not find exact match for edit:\n" + std::string(old_text));
  }
  const std::string diff = Fenced(UnifiedDiff(before, after, resolved.shown));
  if (!FitsResult(diff))
    return Fail(ErrorCode::kLimitExceeded,
                "The diff would be too large to pass on: nothing was changed, make smaller edits");
  errno = 0;
  if (!arguments.Flag("dryRun") && !ReplaceFile(workspace, resolved.real, after))
    return Fail(ErrorCode::kInvalidArgument,
                NodeErrorText(errno == 0 ? EIO : errno, "open", resolved.shown));
  return diff;
}

}  // namespace

void BindEditing(ToolServer& server, const Workspace& workspace) {
  BindTextTool(server, "edit_file",
               [workspace](const Arguments& arguments, const CallContext& context) {
                 return EditFile(workspace, arguments, context);
               });
}

}  // namespace viv::tools::filesystem
