#include "tools/excel/chart.h"

#include <algorithm>

#include "base/text.h"
#include "tools/excel/chart_xml.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

constexpr std::string_view kChartType =
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
constexpr std::string_view kDrawingType =
    "application/vnd.openxmlformats-officedocument.drawing+xml";
constexpr std::string_view kEmptyDrawing =
    "<wsDr xmlns=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\"/>";
// 15 cm by 7.5 cm in the units of drawings.
constexpr std::string_view kChartExtent = "<ext cx=\"5400000\" cy=\"2700000\"/>";

// The part with the sheet's drawings, made when it has none.
std::string DrawingPart(Workbook& workbook, Sheet& sheet) {
  ooxml::Package& package = workbook.package();
  for (const ooxml::Relation& relation : package.Relations(sheet.part()))
    if (relation.Is("drawing") && !relation.external && package.Has(relation.target))
      return relation.target;
  std::string part = package.FreeName("xl/drawings/drawing", ".xml");
  package.Put(part, std::string(ooxml::kXmlDeclaration) + std::string(kEmptyDrawing), kDrawingType);
  ooxml::SetRelationId(sheet.Element("drawing"), package.Relate(sheet.part(), "drawing", part));
  return part;
}

// One more than the largest number a shape of the drawing has; numbers may stand at any depth.
unsigned NextShapeId(pugi::xml_node drawing) {
  unsigned next = 1;
  for (const pugi::xpath_node& found : drawing.select_nodes(".//*[local-name()='cNvPr']"))
    next = std::max(next, std::min(found.node().attribute("id").as_uint(), 1U << 30) + 1);
  return next;
}

std::string AnchorXml(Address at, unsigned shape, std::string_view relation) {
  const std::string id = std::to_string(shape);
  return "<oneCellAnchor><from><col>" + std::to_string(at.column - 1) +
         "</col><colOff>0</colOff><row>" + std::to_string(at.row - 1) +
         "</row><rowOff>0</rowOff></from>" + std::string(kChartExtent) +
         "<graphicFrame macro=\"\"><nvGraphicFramePr><cNvPr id=\"" + id + "\" name=\"Chart " + id +
         "\"/><cNvGraphicFramePr/></nvGraphicFramePr><xfrm>"
         "<a:off xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" x=\"0\" "
         "y=\"0\"/>"
         "<a:ext xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" cx=\"0\" "
         "cy=\"0\"/></xfrm>"
         "<a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\">"
         "<a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/chart\">"
         "<c:chart xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" "
         "xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:id=\"" +
         std::string(relation) +
         "\"/></a:graphicData></a:graphic></graphicFrame><clientData/></oneCellAnchor>";
}

Result<ChartKind> ParseKind(const std::string& text) {
  const std::string kind = ToLower(text);
  if (kind == "line") return ChartKind::kLine;
  if (kind == "bar") return ChartKind::kBar;
  if (kind == "pie") return ChartKind::kPie;
  if (kind == "scatter") return ChartKind::kScatter;
  if (kind == "area") return ChartKind::kArea;
  return Fail(ErrorCode::kInvalidArgument, "Unsupported chart type: " + text +
                                               ". Supported types: line, bar, pie, scatter, area");
}

// "A1:C5", "$A$1:$C$5": the corners in order.
Result<Range> ParseData(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '$'), text.end());
  const std::vector<std::string_view> corners = Split(text, ':');
  if (corners.size() < 2)
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid data range format: not enough values to unpack (expected 2, got 1)");
  if (corners.size() > 2)
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid data range format: too many values to unpack (expected 2)");
  ASSIGN_OR_RETURN(const Corner a, ParseCorner(corners[0]), "Invalid data range format");
  ASSIGN_OR_RETURN(const Corner b, ParseCorner(corners[1]), "Invalid data range format");
  const std::uint64_t row = std::max(a.row, b.row);
  const std::uint32_t column = std::max(a.column, b.column);
  const std::string doing = "Failed to create chart data references: ";
  if (std::min(a.row, b.row) < 1)
    return Fail(ErrorCode::kInvalidArgument, doing + "Min value is 1");
  if (row > kRowsMax)
    return Fail(ErrorCode::kInvalidArgument, doing + "Max value is " + std::to_string(kRowsMax));
  if (column > kColumnsMax)
    return Fail(ErrorCode::kInvalidArgument, doing + "Max value is " + std::to_string(kColumnsMax));
  const Range range{
      {static_cast<std::uint32_t>(std::min(a.row, b.row)), std::min(a.column, b.column)},
      {static_cast<std::uint32_t>(row), column}};
  if (range.first.row == range.last.row)
    return Fail(ErrorCode::kInvalidArgument,
                doing + "the range " + ToText(range) + " has a header row but no data below it");
  if (column - range.first.column > kChartSeriesMax)
    return Fail(ErrorCode::kLimitExceeded, doing + "the range " + ToText(range) +
                                               " has more than " + std::to_string(kChartSeriesMax) +
                                               " columns of data");
  return range;
}

// The sheet before "!", without its quotes; empty when there is none. Takes it away from `range`.
Result<std::string> TakeSheet(std::string& range) {
  const std::size_t mark = range.rfind('!');
  if (mark == std::string::npos) return std::string();
  std::string name = range.substr(0, mark);
  range.erase(0, mark + 1);
  if (name.size() > 1 && name.front() == '\'' && name.back() == '\'') {
    std::string plain;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
      plain += name[i];
      if (name[i] == '\'' && name[i + 1] == '\'') ++i;
    }
    return plain;
  }
  if (name.find('!') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument,
                "Unexpected error creating chart: too many values to unpack (expected 2)");
  return name;
}

Result<Address> ParseChartTarget(const std::string& text) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::any_of(text.begin(), text.end(), is_letter) ||
      !std::any_of(text.begin(), text.end(), is_digit))
    return Fail(ErrorCode::kInvalidArgument,
                "Failed to create chart drawing: Invalid target cell format: " + text);
  if (const std::optional<Address> at = ParseAddress(text)) return *at;
  if (!LooksLikeCell(text))
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid target cell: '" + text + "' is no cell, such as E5");
  ASSIGN_OR_RETURN(const Corner corner, ParseCorner(text), "Invalid target cell");
  ASSIGN_OR_RETURN(const Address at, CheckInSheet(corner), "Invalid target cell");
  return at;
}

std::string Capitalized(std::string_view word) {
  std::string out = ToLower(word);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

Result<std::string> CreateChart(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path), "Unexpected error creating chart");
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  std::string range = arguments.Text("data_range");
  ASSIGN_OR_RETURN(const std::string source_name, TakeSheet(range));
  Sheet* source = source_name.empty() ? sheet : workbook->Find(source_name);
  if (source == nullptr || !source->is_worksheet())
    return Fail(ErrorCode::kNotFound,
                "Sheet '" + source_name + "' referenced in data range not found");
  ChartRequest request;
  ASSIGN_OR_RETURN(request.data, ParseData(range));
  ASSIGN_OR_RETURN(request.kind, ParseKind(arguments.Text("chart_type")));
  ASSIGN_OR_RETURN(const Address at, ParseChartTarget(arguments.Text("target_cell")));
  request.title = arguments.Text("title");
  request.x_axis = arguments.Text("x_axis");
  request.y_axis = arguments.Text("y_axis");
  workbook->Recalculate();  // the chart stores the values that formulas have now
  RETURN_IF_ERROR(PlaceChart(*workbook, *sheet, at, ChartXml(*workbook, *source, request)),
                  "Failed to create chart drawing");
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook), "Failed to save workbook with chart");
  return Capitalized(arguments.Text("chart_type")) + " chart created successfully";
}

}  // namespace

Status PlaceChart(Workbook& workbook, Sheet& sheet, Address at, std::string chart_xml) {
  ooxml::Package& package = workbook.package();
  const std::string drawing = DrawingPart(workbook, sheet);
  ASSIGN_OR_RETURN(pugi::xml_document * document, package.Xml(drawing));
  const std::string chart = package.FreeName("xl/charts/chart", ".xml");
  package.Put(chart, std::move(chart_xml), kChartType);
  pugi::xml_node root = document->document_element();
  const unsigned shape = NextShapeId(root);
  const std::string anchor = AnchorXml(at, shape, package.Relate(drawing, "chart", chart));
  if (!root.append_buffer(anchor.data(), anchor.size()))
    return Fail(ErrorCode::kInternal, "the drawing of the sheet cannot be added to");
  return {};
}

void BindCharts(ToolServer& server, const Workspace& workspace) {
  Bind(server, "create_chart",
       [workspace](const Arguments& a) { return CreateChart(workspace, a); });
}

}  // namespace viv::tools::excel
