#include "tools/excel/chart_xml.h"

#include <algorithm>
#include <array>

#include "tools/excel/cell_value.h"
#include "tools/excel/sheet_xml.h"

namespace viv::tools::excel {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  ooxml::AppendEscaped(out, text);
  return out;
}

std::string Flag(std::string_view name, std::string_view value) {
  return "<c:" + std::string(name) + " val=\"" + std::string(value) + "\"/>";
}

// 'My sheet'!$A$2:$A$9, escaped for XML.
std::string AbsoluteReference(const Sheet& sheet, const Range& range) {
  std::string name = "'";
  for (const char c : sheet.name()) name += c == '\'' ? std::string("''") : std::string(1, c);
  auto corner = [](Address at) {
    return "$" + ColumnName(at.column) + "$" + std::to_string(at.row);
  };
  std::string out = name + "'!" + corner(range.first);
  if (!(range.first == range.last)) out += ":" + corner(range.last);
  return Escaped(out);
}

// One column of cells that a series refers to.
class ChartData {
 public:
  ChartData(Workbook& workbook, const Sheet& sheet, const Range& range, bool store)
      : workbook_(workbook), sheet_(sheet), range_(range), store_(store) {}

  // As numbers, or as texts where a text is among them.
  std::string AnyReference() const { return HasText() ? TextReference() : NumberReference(); }

  std::string NumberReference() const {
    std::string out = "<c:numRef><c:f>" + AbsoluteReference(sheet_, range_) + "</c:f>";
    if (store_) {
      out += "<c:numCache><c:formatCode>" + Escaped(Format()) + "</c:formatCode>" + Count();
      ForEach([&](std::uint32_t index, const Cell& cell) {
        if (cell.kind == CellKind::kNumber || cell.kind == CellKind::kBoolean)
          out += Point(index, WriteNumber(cell.number));
      });
      out += "</c:numCache>";
    }
    return out + "</c:numRef>";
  }

  std::string TextReference() const {
    std::string out = "<c:strRef><c:f>" + AbsoluteReference(sheet_, range_) + "</c:f>";
    if (store_) {
      out += "<c:strCache>" + Count();
      ForEach([&](std::uint32_t index, const Cell& cell) {
        if (cell.kind != CellKind::kBlank) out += Point(index, Escaped(Shown(cell)));
      });
      out += "</c:strCache>";
    }
    return out + "</c:strRef>";
  }

 private:
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (std::uint32_t row = range_.first.row; row <= range_.last.row; ++row)
      if (const Cell* cell = sheet_.Find({row, range_.first.column}))
        visit(row - range_.first.row, *cell);
  }

  bool HasText() const {
    bool found = false;
    auto row = sheet_.rows().lower_bound(range_.first.row);
    for (; row != sheet_.rows().end() && row->first <= range_.last.row && !found; ++row) {
      const Cell* cell = sheet_.Find({row->first, range_.first.column});
      found =
          cell != nullptr && (cell->kind == CellKind::kText || cell->kind == CellKind::kIsoDate);
    }
    return found;
  }

  std::string Format() const {
    const Cell* cell = sheet_.Find(range_.first);
    return cell == nullptr ? "General" : workbook_.styles().NumberFormat(cell->style);
  }

  std::string Shown(const Cell& cell) const {
    if (cell.kind == CellKind::kNumber) return WriteNumber(cell.number);
    if (cell.kind == CellKind::kBoolean) return cell.number != 0 ? "TRUE" : "FALSE";
    return sheet_.Text(cell);
  }

  std::string Count() const {
    return Flag("ptCount", std::to_string(range_.last.row - range_.first.row + 1));
  }
  static std::string Point(std::uint32_t index, const std::string& value) {
    return "<c:pt idx=\"" + std::to_string(index) + "\"><c:v>" + value + "</c:v></c:pt>";
  }

  Workbook& workbook_;
  const Sheet& sheet_;
  Range range_;
  bool store_;
};

std::string Title(std::string_view text) {
  if (text.empty()) return "";
  return "<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr/></a:pPr><a:r><a:t>" +
         Escaped(text) + "</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title>";
}

// Colours are named, for a workbook may come without the theme that would supply them.
constexpr std::array<std::string_view, 8> kColours = {"4472C4", "ED7D31", "A5A5A5", "FFC000",
                                                      "5B9BD5", "70AD47", "264478", "9E480E"};
constexpr std::string_view kGrey = "BFBFBF";
constexpr std::uint32_t kSlicesColoured = 256;

std::string Fill(std::string_view colour) {
  return "<a:solidFill><a:srgbClr val=\"" + std::string(colour) + "\"/></a:solidFill>";
}

std::string Lines(std::string_view width, std::string_view colour) {
  return "<c:spPr><a:ln w=\"" + std::string(width) + "\">" + Fill(colour) + "</a:ln></c:spPr>";
}

// The slices of a pie differ in colour, not its series.
std::string Slices(std::uint32_t count) {
  std::string out;
  for (std::uint32_t i = 0; i < std::min(count, kSlicesColoured); ++i)
    out += "<c:dPt>" + Flag("idx", std::to_string(i)) + Flag("bubble3D", "0") + "<c:spPr>" +
           Fill(kColours[i % kColours.size()]) + "</c:spPr></c:dPt>";
  return out;
}

std::string SeriesLook(ChartKind kind, std::uint32_t number, std::uint32_t points) {
  const std::string_view colour = kColours[number % kColours.size()];
  const std::string fill = "<c:spPr>" + Fill(colour) + "</c:spPr>";
  switch (kind) {
    case ChartKind::kLine:
      return Lines("28575", colour) + "<c:marker><c:symbol val=\"none\"/></c:marker>";
    case ChartKind::kBar:
      return fill + "<c:invertIfNegative val=\"0\"/>";
    case ChartKind::kPie:
      return Slices(points);
    case ChartKind::kScatter:
      return "<c:spPr><a:ln w=\"19050\"><a:noFill/></a:ln></c:spPr><c:marker><c:symbol "
             "val=\"circle\"/>"
             "<c:size val=\"7\"/>" +
             fill + "</c:marker>";
    default:
      return fill;
  }
}

std::string Series(Workbook& workbook, const Sheet& sheet, const ChartRequest& request) {
  const Range& data = request.data;
  const bool has_categories = data.first.column < data.last.column;
  const std::uint64_t points = std::uint64_t{data.last.row - data.first.row + 1} *
                               (data.last.column - data.first.column + 1);
  const bool store = points <= kChartPointsStored;
  auto below_header = [&](std::uint32_t column) {
    const Range range{{data.first.row + 1, column}, {data.last.row, column}};
    return ChartData(workbook, sheet, range, store);
  };
  const bool scatter = request.kind == ChartKind::kScatter;
  std::string out, categories;
  if (has_categories) {
    const std::string element = scatter ? "c:xVal>" : "c:cat>";
    categories = "<" + element + below_header(data.first.column).AnyReference() + "</" + element;
  }
  std::uint32_t number = 0;
  for (std::uint32_t column = data.first.column + (has_categories ? 1 : 0);
       column <= data.last.column; ++column) {
    const Address header{data.first.row, column};
    const std::string order = std::to_string(number);
    out += "<c:ser>" + Flag("idx", order) + Flag("order", order) + "<c:tx>" +
           ChartData(workbook, sheet, {header, header}, true).TextReference() + "</c:tx>";
    out += SeriesLook(request.kind, number++, data.last.row - data.first.row);
    out += categories;
    const std::string values = below_header(column).NumberReference();
    out += scatter ? "<c:yVal>" + values + "</c:yVal>" : "<c:val>" + values + "</c:val>";
    if (scatter || request.kind == ChartKind::kLine) out += Flag("smooth", "0");
    out += "</c:ser>";
  }
  return out;
}

constexpr std::string_view kLabels =
    "<c:dLbls><c:showLegendKey val=\"0\"/><c:showVal val=\"1\"/><c:showCatName val=\"0\"/>"
    "<c:showSerName val=\"0\"/><c:showPercent val=\"0\"/><c:showBubbleSize val=\"0\"/></c:dLbls>";
constexpr std::string_view kFirstAxis = "10", kSecondAxis = "100";

std::string Axis(std::string_view element, std::string_view position, std::string_view title) {
  const bool first = position == "b", values = element == "valAx";
  std::string out =
      "<c:" + std::string(element) + ">" + Flag("axId", first ? kFirstAxis : kSecondAxis);
  out += "<c:scaling><c:orientation val=\"minMax\"/></c:scaling>" + Flag("delete", "0") +
         Flag("axPos", position);
  if (!first) out += "<c:majorGridlines>" + Lines("9525", kGrey) + "</c:majorGridlines>";
  out += Title(title) + "<c:numFmt formatCode=\"General\" sourceLinked=\"1\"/>";
  out += Flag("majorTickMark", "out") + Flag("minorTickMark", "none") +
         Flag("tickLblPos", "nextTo") + Lines("9525", kGrey);
  out += Flag("crossAx", first ? kSecondAxis : kFirstAxis) + Flag("crosses", "autoZero");
  out += values ? Flag("crossBetween", first ? "midCat" : "between") : Flag("lblOffset", "100");
  return out + "</c:" + std::string(element) + ">";
}

std::string Plot(ChartKind kind, const std::string& series) {
  const std::string ids = Flag("axId", kFirstAxis) + Flag("axId", kSecondAxis), labels(kLabels);
  switch (kind) {
    case ChartKind::kLine:
      return "<c:lineChart>" + Flag("grouping", "standard") + Flag("varyColors", "0") + series +
             labels + Flag("marker", "1") + ids + "</c:lineChart>";
    case ChartKind::kBar:
      return "<c:barChart>" + Flag("barDir", "col") + Flag("grouping", "clustered") +
             Flag("varyColors", "0") + series + labels + Flag("gapWidth", "150") + ids +
             "</c:barChart>";
    case ChartKind::kPie:
      return "<c:pieChart>" + Flag("varyColors", "1") + series + labels +
             Flag("firstSliceAng", "0") + "</c:pieChart>";
    case ChartKind::kScatter:
      return "<c:scatterChart>" + Flag("scatterStyle", "lineMarker") + Flag("varyColors", "0") +
             series + labels + ids + "</c:scatterChart>";
    default:
      return "<c:areaChart>" + Flag("grouping", "standard") + Flag("varyColors", "0") + series +
             labels + ids + "</c:areaChart>";
  }
}

}  // namespace

std::string ChartXml(Workbook& workbook, const Sheet& sheet, const ChartRequest& request) {
  std::string xml(ooxml::kXmlDeclaration);
  xml +=
      "<c:chartSpace xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" "
      "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><c:roundedCorners "
      "val=\"0\"/><c:chart>";
  xml += Title(request.title) + Flag("autoTitleDeleted", request.title.empty() ? "1" : "0");
  xml += "<c:plotArea><c:layout/>" + Plot(request.kind, Series(workbook, sheet, request));
  if (request.kind == ChartKind::kScatter) {
    xml += Axis("valAx", "b", request.x_axis) + Axis("valAx", "l", request.y_axis);
  } else if (request.kind != ChartKind::kPie) {
    xml += Axis("catAx", "b", request.x_axis) + Axis("valAx", "l", request.y_axis);
  }
  xml += "</c:plotArea><c:legend>" + Flag("legendPos", "r") + Flag("overlay", "0") + "</c:legend>";
  xml += Flag("plotVisOnly", "1") + Flag("dispBlanksAs", "gap") + "</c:chart></c:chartSpace>";
  return xml;
}

}  // namespace viv::tools::excel
