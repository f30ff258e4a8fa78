#include <algorithm>
#include <array>
#include <unordered_map>

#include "tools/excel/conditional_format.h"
#include "tools/excel/merge.h"
#include "tools/excel/python_text.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

constexpr std::array<std::string_view, 13> kBorderStyles = {
    "dashDot",       "dashDotDot",       "dashed",       "dotted",       "double", "hair", "medium",
    "mediumDashDot", "mediumDashDotDot", "mediumDashed", "slantDashDot", "thick",  "thin"};
constexpr std::array<std::string_view, 8> kAlignments = {
    "general", "left", "center", "right", "fill", "justify", "centerContinuous", "distributed"};
constexpr std::size_t kFormatCodeBytesMax = 255;

template <std::size_t N>
Status CheckChoice(const std::array<std::string_view, N>& choices, std::string_view given) {
  if (given == "none" || std::find(choices.begin(), choices.end(), given) != choices.end())
    return {};
  return Fail(ErrorCode::kInvalidArgument, MustBeOneOf(choices));
}

// The workbook's own font with the parts that the call names; what it does not name is not kept
// from the cell, as in the original.
Result<std::string> FontXml(Workbook& workbook, const Arguments& arguments) {
  std::string xml = "<font>";
  if (arguments.Flag("bold")) xml += "<b/>";
  if (arguments.Flag("italic")) xml += "<i/>";
  if (arguments.Flag("underline")) xml += "<u/>";
  const pugi::xml_node usual = workbook.styles().DefaultFont();
  std::string size = usual.child("sz").attribute("val").as_string("11");
  if (const auto given = arguments.OptionalInteger("font_size")) {
    if (*given < 1 || *given > 409)
      return Fail(ErrorCode::kInvalidArgument,
                  "font_size must be between 1 and 409, not " + std::to_string(*given));
    size = std::to_string(*given);
  }
  xml += "<sz val=\"";
  ooxml::AppendEscaped(xml, size);
  xml += "\"/>";
  if (const auto color = arguments.OptionalText("font_color")) {
    ASSIGN_OR_RETURN(const std::string parsed, ParseColor(*color), "Invalid font color");
    xml += "<color rgb=\"" + parsed + "\"/>";
  }
  xml += "<name val=\"";
  ooxml::AppendEscaped(xml, usual.child("name").attribute("val").as_string("Calibri"));
  return xml + "\"/></font>";
}

Result<std::string> BorderXml(const std::string& style, const std::string& color) {
  RETURN_IF_ERROR(CheckChoice(kBorderStyles, style), "Invalid border settings");
  ASSIGN_OR_RETURN(const std::string parsed, ParseColor(color.empty() ? "000000" : color),
                   "Invalid border settings");
  std::string xml = "<border>";
  for (const char* side : {"left", "right", "top", "bottom"})
    xml += "<" + std::string(side) + " style=\"" + style + "\"><color rgb=\"" + parsed + "\"/></" +
           side + ">";
  return xml + "<diagonal/></border>";
}

Result<std::string> ProtectionXml(const json::object& protection) {
  std::string xml = "<protection";
  for (const auto& member : protection) {
    const std::string_view name = member.key();
    if (name != "locked" && name != "hidden")
      return Fail(ErrorCode::kInvalidArgument,
                  "Protection.__init__() got an unexpected keyword argument " + PythonRepr(name));
    const bool set = member.value().is_bool()
                         ? member.value().get_bool()
                         : member.value().is_number() && member.value().to_number<double>() != 0;
    xml += " " + std::string(name) + "=\"" + (set ? "1" : "0") + "\"";
  }
  if (protection.if_contains("locked") == nullptr) xml += " locked=\"1\"";
  return xml + "/>";
}

Result<StyleChange> ReadChange(Workbook& workbook, const Arguments& arguments) {
  StyleChange change;
  ASSIGN_OR_RETURN(change.font, FontXml(workbook, arguments));
  if (const auto color = arguments.OptionalText("bg_color")) {
    ASSIGN_OR_RETURN(const std::string parsed, ParseColor(*color), "Invalid background color");
    change.fill = "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"" + parsed +
                  "\"/><bgColor rgb=\"" + parsed + "\"/></patternFill></fill>";
  }
  if (const auto style = arguments.OptionalText("border_style")) {
    ASSIGN_OR_RETURN(change.border, BorderXml(*style, arguments.Text("border_color")));
  }
  const auto alignment = arguments.OptionalText("alignment");
  if (alignment || arguments.Flag("wrap_text")) {
    if (alignment)
      RETURN_IF_ERROR(CheckChoice(kAlignments, *alignment), "Invalid alignment settings");
    change.alignment = "<alignment";
    if (alignment && *alignment != "none")
      *change.alignment += " horizontal=\"" + *alignment + "\"";
    *change.alignment += " vertical=\"center\"";
    if (arguments.Flag("wrap_text")) *change.alignment += " wrapText=\"1\"";
    *change.alignment += "/>";
  }
  if (const json::value* protection = arguments.Find("protection");
      protection != nullptr && protection->is_object()) {
    ASSIGN_OR_RETURN(change.protection, ProtectionXml(protection->get_object()));
  }
  change.number_format = arguments.OptionalText("number_format");
  if (change.number_format && change.number_format->size() > kFormatCodeBytesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "number_format is too long; a format has at most 255 characters");
  return change;
}

void ChangeStyles(Workbook& workbook, Sheet& sheet, const Range& range, const StyleChange& change) {
  std::unordered_map<std::uint32_t, std::uint32_t> changed;
  for (std::uint32_t row = range.first.row; row <= range.last.row; ++row) {
    for (std::uint32_t column = range.first.column; column <= range.last.column; ++column) {
      Cell& cell = sheet.At({row, column});
      const auto [found, is_new] = changed.emplace(cell.style, 0);
      if (is_new) found->second = workbook.styles().Change(cell.style, change);
      cell.style = found->second;
    }
  }
}

// A file that is not there yet is made, in folders that are.
Result<std::unique_ptr<Workbook>> OpenOrCreate(const Workspace& workspace,
                                               const std::string& path) {
  auto workbook = OpenWorkbook(workspace, path);
  if (workbook || workbook.error().code != ErrorCode::kNotFound) return workbook;
  ASSIGN_OR_RETURN(auto fresh, Workbook::Create("Sheet1"));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *fresh));
  return fresh;
}

Result<std::string> FormatRange(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string start = arguments.Text("start_cell");
  const std::string end = arguments.Text("end_cell");
  if (!LooksLikeCell(start))
    return Fail(ErrorCode::kInvalidArgument, "Invalid start cell reference: " + start);
  if (!end.empty() && !LooksLikeCell(end))
    return Fail(ErrorCode::kInvalidArgument, "Invalid end cell reference: " + end);
  ASSIGN_OR_RETURN(auto workbook, OpenOrCreate(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  ASSIGN_OR_RETURN(const Range range, ParseCorners(start, end));
  RETURN_IF_ERROR(CheckSize(range, "formatted"));
  ASSIGN_OR_RETURN(const StyleChange change, ReadChange(*workbook, arguments));
  ChangeStyles(*workbook, *sheet, range, change);
  if (arguments.Flag("merge_cells") && !end.empty())
    RETURN_IF_ERROR(MergeRange(*sheet, range), "Failed to merge cells");
  const json::value* conditional = arguments.Find("conditional_format");
  if (conditional != nullptr && conditional->is_object())
    RETURN_IF_ERROR(
        AddConditionalFormat(*workbook, *sheet, ToShortText(range), conditional->get_object()));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return std::string("Range formatted successfully");
}

}  // namespace

void BindFormatTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "format_range",
       [workspace](const Arguments& a) { return FormatRange(workspace, a); });
}

}  // namespace viv::tools::excel
