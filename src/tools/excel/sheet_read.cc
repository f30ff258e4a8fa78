#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "base/text.h"
#include "tools/excel/sheet_xml.h"
#include "tools/formula/move.h"

namespace viv::tools::excel {
namespace {

struct SharedFormula {
  std::string text;
  Address at;
};

tl::unexpected<Error> BadSheet(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

struct XmlString : pugi::xml_writer {
  std::string out;
  void write(const void* data, std::size_t size) override {
    out.append(static_cast<const char*>(data), size);
  }
};

class SheetReader {
 public:
  SheetReader(Sheet& sheet, const std::vector<std::uint32_t>& shared, std::uint32_t styles)
      : sheet_(sheet), shared_(shared), styles_(styles) {}

  Status ReadRows(pugi::xml_node data) {
    for (const pugi::xml_node row : data.children("row")) {
      at_.row = row.attribute("r") ? row.attribute("r").as_uint() : at_.row + 1;
      if (at_.row < 1 || at_.row > kRowsMax)
        return BadSheet(Printable(row.attribute("r").value()) + " is not a valid row number");
      XmlAttributes attributes;
      for (const pugi::xml_attribute attribute : row.attributes())
        if (std::strcmp(attribute.name(), "r") != 0 && std::strcmp(attribute.name(), "spans") != 0)
          attributes.emplace_back(attribute.name(), attribute.value());
      if (!attributes.empty()) sheet_.rows()[at_.row].attributes = std::move(attributes);
      at_.column = 0;
      for (const pugi::xml_node cell : row.children("c")) RETURN_IF_ERROR(ReadCell(cell));
    }
    return {};
  }

 private:
  Status ReadCell(pugi::xml_node node) {
    Address at{at_.row, at_.column + 1};
    if (const pugi::xml_attribute place = node.attribute("r")) {
      const auto parsed = ParseAddress(place.value());
      if (!parsed)
        return BadSheet(Printable(place.value()) + " is not a valid coordinate or range");
      at = *parsed;
    }
    if (at.column > kColumnsMax)
      return BadSheet("row " + std::to_string(at.row) + " has too many cells");
    at_.column = at.column;
    Cell cell;
    cell.style = node.attribute("s").as_uint();
    if (cell.style >= styles_) cell.style = 0;
    RETURN_IF_ERROR(ReadValue(node, cell));
    if (const pugi::xml_node formula = node.child("f")) ReadFormula(formula, at, cell);
    sheet_.At(at) = cell;
    return {};
  }

  Status ReadValue(pugi::xml_node node, Cell& cell) {
    const std::string_view type = node.attribute("t").value();
    if (type == "inlineStr") {
      const pugi::xml_node item = node.child("is");
      if (!item) return {};
      StringItem read = ReadStringItem(item);
      cell.kind = CellKind::kText;
      cell.text = read.is_plain ? sheet_.strings().Intern(read.plain)
                                : sheet_.strings().AddRich(std::move(read.plain), InnerXml(item));
      return {};
    }
    const std::string_view value = node.child_value("v");
    if (value.empty()) return {};
    if (type == "s") return ReadShared(value, cell);
    if (type == "str" || type == "e" || type == "d") {
      cell.kind = type == "str" ? CellKind::kText
                  : type == "e" ? CellKind::kError
                                : CellKind::kIsoDate;
      cell.text = sheet_.strings().Intern(value);
      return {};
    }
    const std::string_view digits = Trim(value);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), cell.number);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(cell.number))
      return BadSheet("could not convert string to float: '" + Printable(value) + "'");
    cell.kind = type == "b" ? CellKind::kBoolean : CellKind::kNumber;
    if (type == "b") cell.number = cell.number != 0 ? 1 : 0;
    cell.decimal = digits.find_first_of(".eE") != std::string_view::npos;
    return {};
  }

  Status ReadShared(std::string_view value, Cell& cell) {
    std::size_t number = 0;
    const std::string_view digits = Trim(value);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number >= shared_.size())
      return BadSheet("a cell refers to the shared string '" + Printable(value) +
                      "', which does not exist");
    cell.kind = CellKind::kText;
    cell.text = shared_[number];
    return {};
  }

  void ReadFormula(pugi::xml_node node, Address at, Cell& cell) {
    const std::string_view type = node.attribute("t").value();
    const std::string text = node.child_value();
    if (type == "shared") {
      const std::string id = node.attribute("si").value();
      const auto known = shared_formulas_.find(id);
      if (known != shared_formulas_.end() && text.empty()) {
        const SharedFormula& first = known->second;
        cell.formula = sheet_.strings().Intern(formula::Translate(
            first.text, static_cast<int>(at.row) - static_cast<int>(first.at.row),
            static_cast<int>(at.column) - static_cast<int>(first.at.column)));
        return;
      }
      if (!text.empty()) shared_formulas_[id] = {text, at};
    } else if (type == "array" || type == "dataTable") {
      XmlAttributes& kept = sheet_.formula_attributes()[{at.row, at.column}];
      for (const pugi::xml_attribute attribute : node.attributes())
        kept.emplace_back(attribute.name(), attribute.value());
    }
    cell.formula = sheet_.strings().Intern(text);
  }

  Sheet& sheet_;
  const std::vector<std::uint32_t>& shared_;
  const std::uint32_t styles_;
  Address at_{0, 0};
  std::unordered_map<std::string, SharedFormula> shared_formulas_;
};

}  // namespace

StringItem ReadStringItem(pugi::xml_node item) {
  StringItem read;
  for (const pugi::xml_node child : item.children()) {
    const std::string_view name = child.name();
    if (name == "t") {
      read.plain += child.child_value();
      if (child != item.first_child()) read.is_plain = false;
    } else {
      read.is_plain = false;
      if (name == "r") read.plain += child.child_value("t");
    }
  }
  return read;
}

std::string InnerXml(pugi::xml_node node) {
  XmlString writer;
  for (const pugi::xml_node child : node.children())
    child.print(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(writer.out);
}

Status ReadSheet(Sheet& sheet,
                 pugi::xml_node root,
                 const std::vector<std::uint32_t>& shared,
                 std::uint32_t styles) {
  sheet.set_root(root);
  SheetReader reader(sheet, shared, styles);
  pugi::xml_node data = sheet.Element("sheetData");
  RETURN_IF_ERROR(reader.ReadRows(data));
  data.remove_children();
  for (const pugi::xml_node merge : root.child("mergeCells").children("mergeCell"))
    if (const auto range = ParseRange(merge.attribute("ref").value()))
      sheet.merged().push_back(*range);
  return {};
}

}  // namespace viv::tools::excel
