#include "tools/excel/styles.h"

#include <algorithm>
#include <array>

#include "tools/excel/number_format.h"

namespace viv::tools::excel {
namespace {

// The children of <styleSheet> in the order of the schema.
constexpr std::array<std::string_view, 11> kStyleLists = {
    "numFmts",    "fonts", "fills",       "borders", "cellStyleXfs", "cellXfs",
    "cellStyles", "dxfs",  "tableStyles", "colors",  "extLst"};

std::string OuterXml(pugi::xml_node node) {
  struct Writer : pugi::xml_writer {
    std::string out;
    void write(const void* data, std::size_t size) override {
      out.append(static_cast<const char*>(data), size);
    }
  } writer;
  node.print(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(writer.out);
}

std::size_t ListRank(std::string_view name) {
  return static_cast<std::size_t>(std::find(kStyleLists.begin(), kStyleLists.end(), name) -
                                  kStyleLists.begin());
}

void SetCount(pugi::xml_node list) {
  const auto count = std::distance(list.children().begin(), list.children().end());
  pugi::xml_attribute attribute = list.attribute("count");
  if (!attribute) attribute = list.append_attribute("count");
  attribute.set_value(static_cast<unsigned>(count));
}

void SetAttribute(pugi::xml_node node, const char* name, std::uint32_t value) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) attribute = node.append_attribute(name);
  attribute.set_value(value);
}

// Exchanges the child <alignment> or <protection> of an <xf>; alignment stands first.
void ExchangeChild(pugi::xml_node xf, std::string_view name, const std::string& xml) {
  const std::string wanted(name);
  xf.remove_child(wanted.c_str());
  pugi::xml_document parsed;
  parsed.load_buffer(xml.data(), xml.size());
  if (name == "alignment") {
    xf.prepend_copy(parsed.document_element());
  } else {
    const pugi::xml_node alignment = xf.child("alignment");
    if (alignment) {
      xf.insert_copy_after(parsed.document_element(), alignment);
    } else {
      xf.prepend_copy(parsed.document_element());
    }
  }
}

}  // namespace

Styles::Styles(pugi::xml_node root) : root_(root) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> needed = {
      {{"fonts", "<font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>"},
       {"fills", "<fill><patternFill patternType=\"none\"/></fill>"},
       {"borders", "<border><left/><right/><top/><bottom/><diagonal/></border>"},
       {"cellXfs", "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"}}};
  for (const auto& [name, xml] : needed)
    if (!List(name).first_child()) Place(name, xml);
  xfs_.clear();
  for (const pugi::xml_node xf : List("cellXfs").children("xf")) xfs_.push_back(xf);
}

pugi::xml_node Styles::List(std::string_view name) {
  const std::string wanted(name);
  if (pugi::xml_node found = root_.child(wanted.c_str())) return found;
  const std::size_t rank = ListRank(name);
  for (pugi::xml_node child : root_.children()) {
    const std::size_t other = ListRank(child.name());
    if (other > rank && other < kStyleLists.size())
      return root_.insert_child_before(wanted.c_str(), child);
  }
  return root_.append_child(wanted.c_str());
}

// The number of an element in its list, which is put at its end when the list does not have it.
std::uint32_t Styles::Place(std::string_view list, std::string_view xml) {
  pugi::xml_node parent = List(list);
  const std::string start = std::string(list) + '\n';
  if (placed_.emplace(start, 0).second) {
    std::uint32_t number = 0;
    for (const pugi::xml_node child : parent.children())
      placed_.emplace(start + OuterXml(child), number++);
  }
  pugi::xml_document parsed;
  parsed.load_buffer(xml.data(), xml.size());
  const std::string key = start + OuterXml(parsed.document_element());
  if (const auto found = placed_.find(key); found != placed_.end()) return found->second;
  const auto number =
      static_cast<std::uint32_t>(std::distance(parent.children().begin(), parent.children().end()));
  const pugi::xml_node placed = parent.append_copy(parsed.document_element());
  SetCount(parent);
  placed_.emplace(key, number);
  if (list == "cellXfs") xfs_.push_back(placed);
  return number;
}

std::uint32_t Styles::PlaceNumberFormat(std::string_view code) {
  if (const auto standard = FindStandardNumberFormat(code)) return *standard;
  pugi::xml_node formats = List("numFmts");
  std::uint32_t next = kFirstOwnNumberFormat;
  for (const pugi::xml_node format : formats.children("numFmt")) {
    if (code == format.attribute("formatCode").value())
      return format.attribute("numFmtId").as_uint();
    next = std::max(next, format.attribute("numFmtId").as_uint() + 1);
  }
  pugi::xml_node format = formats.append_child("numFmt");
  format.append_attribute("numFmtId").set_value(next);
  format.append_attribute("formatCode").set_value(std::string(code).c_str());
  SetCount(formats);
  return next;
}

std::uint32_t Styles::Change(std::uint32_t style, const StyleChange& change) {
  if (style >= xfs_.size()) style = 0;
  std::string key = std::to_string(style);
  for (const auto* part : {&change.font, &change.fill, &change.border, &change.alignment,
                           &change.protection, &change.number_format})
    key += '\n' + (*part ? "+" + **part : std::string("-"));
  if (const auto found = changed_.find(key); found != changed_.end()) return found->second;

  pugi::xml_document copy;
  pugi::xml_node xf = copy.append_copy(xfs_[style]);
  const auto exchange = [&](const std::optional<std::string>& xml, const char* list, const char* id,
                            const char* apply) {
    if (!xml) return;
    SetAttribute(xf, id, Place(list, *xml));
    SetAttribute(xf, apply, 1);
  };
  if (change.number_format) {
    SetAttribute(xf, "numFmtId", PlaceNumberFormat(*change.number_format));
    SetAttribute(xf, "applyNumberFormat", 1);
  }
  exchange(change.font, "fonts", "fontId", "applyFont");
  exchange(change.fill, "fills", "fillId", "applyFill");
  exchange(change.border, "borders", "borderId", "applyBorder");
  if (change.alignment) {
    SetAttribute(xf, "applyAlignment", 1);
    ExchangeChild(xf, "alignment", *change.alignment);
  }
  if (change.protection) {
    SetAttribute(xf, "applyProtection", 1);
    ExchangeChild(xf, "protection", *change.protection);
  }
  const std::uint32_t number = Place("cellXfs", OuterXml(xf));
  changed_.emplace(std::move(key), number);
  return number;
}

pugi::xml_node Styles::DefaultFont() {
  return List("fonts").child("font");
}

std::uint32_t Styles::Bold() {
  StyleChange change;
  pugi::xml_document font;
  font.append_copy(DefaultFont());
  font.document_element().remove_child("b");
  font.document_element().prepend_child("b");
  change.font = OuterXml(font.document_element());
  return Change(0, change);
}

std::uint32_t Styles::AddDifferential(std::string_view dxf_xml) {
  return Place("dxfs", dxf_xml);
}

std::string Styles::NumberFormat(std::uint32_t style) const {
  if (style >= xfs_.size()) return "General";
  const std::uint32_t id = xfs_[style].attribute("numFmtId").as_uint();
  for (const pugi::xml_node format : root_.child("numFmts").children("numFmt"))
    if (format.attribute("numFmtId").as_uint() == id) return format.attribute("formatCode").value();
  const std::string_view standard = StandardNumberFormat(id);
  return standard.empty() ? "General" : std::string(standard);
}

NumberMeaning Styles::Meaning(std::uint32_t style) {
  if (const auto found = meanings_.find(style); found != meanings_.end()) return found->second;
  const std::string code = NumberFormat(style);
  NumberMeaning meaning = NumberMeaning::kNumber;
  if (IsDateFormat(code))
    meaning = IsDurationFormat(code) ? NumberMeaning::kDuration : NumberMeaning::kDate;
  meanings_.emplace(style, meaning);
  return meaning;
}

}  // namespace viv::tools::excel
