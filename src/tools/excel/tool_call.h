#pragma once
// How the tools of this server are bound and how they take apart what agents write: references to
// cells as the original reads them, limits on what one call may touch.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/excel/cell.h"
#include "tools/excel/workbook.h"
#include "tools/kit/tool_server.h"
#include "tools/kit/workspace.h"

namespace viv::tools::excel {

constexpr std::uint64_t kCellsOfCallMax = 1'000'000;

enum class Failure {
  kText,   // "Error: …" as an ordinary answer
  kRaised  // isError, "Error executing tool NAME: …"
};

using ToolBody = std::function<Result<std::string>(const Arguments&)>;
void Bind(ToolServer& server,
          std::string_view tool,
          ToolBody body,
          Failure failure = Failure::kText);

// A corner as the original's pattern finds it at the start of a text: "b7", also "A1:C3" (A1). It
// may lie outside of a sheet; CheckInSheet tells.
struct Corner {
  std::uint64_t row = 0;
  std::uint32_t column = 0;
};
Result<Corner> ParseCorner(std::string_view text);
Result<Address> CheckInSheet(const Corner& corner);
// Letters, then digits, and nothing else.
bool LooksLikeCell(std::string_view text);

// The range between two corners; an empty `end` makes it one cell. The last may be before the
// first.
Result<Range> ParseCorners(std::string_view start, std::string_view end);
// kLimitExceeded beyond kCellsOfCallMax; `doing` is a past participle ("formatted").
Status CheckSize(const Range& range, std::string_view doing);

// "Value must be one of {'a', 'b'}", in the words of openpyxl.
template <typename Choices>
std::string MustBeOneOf(const Choices& choices) {
  std::string all;
  for (const std::string_view choice : choices)
    all += (all.empty() ? "'" : ", '") + std::string(choice) + "'";
  return "Value must be one of {" + all + "}";
}

// "Sheet 'x' not found".
Result<Sheet*> FindSheet(Workbook& workbook, std::string_view name);

// A value as a cell takes it: text that begins with "=" is a formula, null changes nothing.
Status WriteValue(Sheet& sheet, Address at, const json::value& value);

void BindWorkbookTools(ToolServer& server, const Workspace& workspace);
void BindSheetTools(ToolServer& server, const Workspace& workspace);
void BindDataTools(ToolServer& server, const Workspace& workspace);
void BindFormulaTools(ToolServer& server, const Workspace& workspace);
void BindFormatTools(ToolServer& server, const Workspace& workspace);
void BindMergeTools(ToolServer& server, const Workspace& workspace);
void BindRangeTools(ToolServer& server, const Workspace& workspace);
void BindRowTools(ToolServer& server, const Workspace& workspace);
void BindValidationTools(ToolServer& server, const Workspace& workspace);

}  // namespace viv::tools::excel
