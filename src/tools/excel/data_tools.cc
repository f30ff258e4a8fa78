#include "tools/excel/cell_value.h"
#include "tools/excel/tool_call.h"
#include "tools/excel/validation.h"

namespace viv::tools::excel {
namespace {

constexpr std::uint64_t kCellsOfAnswerMax = 100'000;
constexpr std::size_t kAnswerBytesMax = 16 << 20;

Result<std::string> WriteData(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const json::array& data = arguments.List("data");
  if (data.empty()) return Fail(ErrorCode::kInvalidArgument, "No data provided to write");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  std::string name = arguments.Text("sheet_name");
  if (name.empty() && workbook->Active() != nullptr) name = workbook->Active()->name();
  if (workbook->Find(name) == nullptr) {
    ASSIGN_OR_RETURN(const Sheet* made, workbook->AddSheet(name));
    if (made->name() != name)
      return Fail(ErrorCode::kConflict, "'Worksheet " + name + " does not exist.'");
  }
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, name));
  ASSIGN_OR_RETURN(const Corner start, ParseCorner(arguments.Text("start_cell", "A1")),
                   "Invalid start cell format");
  std::uint64_t row = start.row;
  for (const json::value& line : data) {
    std::uint32_t column = start.column;
    for (const json::value& value : line.as_array()) {
      ASSIGN_OR_RETURN(const Address at, CheckInSheet({row, column}));
      RETURN_IF_ERROR(WriteValue(*sheet, at, value));
      ++column;
    }
    ++row;
  }
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Data written to " + name;
}

// Which cells a call of read_data_from_excel asks for; nullopt when it begins beyond all data.
Result<std::optional<Range>> RangeToRead(const Sheet& sheet, const Arguments& arguments) {
  std::string start = arguments.Text("start_cell", "A1");
  std::string end = arguments.Text("end_cell");
  if (const std::size_t colon = start.find(':'); colon != std::string::npos) {
    end = start.substr(colon + 1);
    start.resize(colon);
    if (end.find(':') != std::string::npos)
      return Fail(ErrorCode::kInvalidArgument, "too many values to unpack (expected 2)");
  }
  ASSIGN_OR_RETURN(Corner first, ParseCorner(start + ":" + start), "Invalid start cell format");
  const Range used = sheet.Used();
  Corner last = first;
  const Cell* only = sheet.Find({1, 1});
  const bool is_empty = used == Range{} &&
                        (only == nullptr || (only->kind == CellKind::kBlank && only->formula == 0));
  if (!end.empty()) {
    ASSIGN_OR_RETURN(last, ParseCorner(end + ":" + end), "Invalid end cell format");
  } else if (!is_empty) {
    last = {used.last.row, used.last.column};
    if (start == "A1") first = {used.first.row, used.first.column};
  }
  if (first.row > used.last.row || first.column > used.last.column) return std::optional<Range>();
  Range range;
  ASSIGN_OR_RETURN(range.first, CheckInSheet(first));
  ASSIGN_OR_RETURN(range.last, CheckInSheet(last));
  return std::optional<Range>(range);
}

json::object ValidationOf(const std::vector<Validation>& rules, Address at) {
  for (const Validation& rule : rules) {
    for (const Range& range : rule.ranges) {
      if (!range.Contains(at)) continue;
      json::object about = {{"cell", ToText(at)}};
      for (const auto& member : rule.about_cell) about[member.key()] = member.value();
      return about;
    }
  }
  return {{"has_validation", false}};
}

Result<std::string> ReadData(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  const std::string name = arguments.Text("sheet_name");
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, name));
  ASSIGN_OR_RETURN(const std::optional<Range> asked, RangeToRead(*sheet, arguments));
  const std::string nothing = "No data found in specified range";
  if (!asked || asked->last.row < asked->first.row || asked->last.column < asked->first.column)
    return nothing;
  const Range range = *asked;
  const std::uint64_t count = std::uint64_t{range.last.row - range.first.row + 1} *
                              (range.last.column - range.first.column + 1);
  if (count > kCellsOfAnswerMax)
    return Fail(ErrorCode::kLimitExceeded,
                "The range " + ToText(range) + " has " + std::to_string(count) +
                    " cells; at most " + std::to_string(kCellsOfAnswerMax) +
                    " can be read in one call. Give start_cell and end_cell.");
  const std::vector<Validation> rules = ReadValidations(*workbook, *sheet);
  json::array cells;
  cells.reserve(count);
  for (std::uint32_t row = range.first.row; row <= range.last.row; ++row) {
    for (std::uint32_t column = range.first.column; column <= range.last.column; ++column) {
      const Address at{row, column};
      cells.emplace_back(json::object{{"address", ToText(at)},
                                      {"value", CellValue(*workbook, *sheet, at)},
                                      {"row", row},
                                      {"column", column},
                                      {"validation", ValidationOf(rules, at)}});
    }
  }
  std::string result = PythonJson(
      json::object{{"range", ToText(range)}, {"sheet_name", name}, {"cells", std::move(cells)}});
  if (result.size() > kAnswerBytesMax)
    return Fail(ErrorCode::kLimitExceeded,
                "The range " + ToText(range) + " holds more than " +
                    std::to_string(kAnswerBytesMax >> 20) +
                    " MiB; read a part of it with start_cell and end_cell.");
  return result;
}

}  // namespace

void BindDataTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "write_data_to_excel",
       [workspace](const Arguments& a) { return WriteData(workspace, a); });
  Bind(
      server, "read_data_from_excel",
      [workspace](const Arguments& a) { return ReadData(workspace, a); }, Failure::kRaised);
}

}  // namespace viv::tools::excel
