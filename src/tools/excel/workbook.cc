#include "tools/excel/workbook.h"

#include "tools/excel/blank_workbook.h"
#include "tools/excel/sheet_xml.h"

namespace viv::tools::excel {
namespace {

constexpr std::string_view kStringsType =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml";
constexpr std::size_t kSheetsMax = 2000;

tl::unexpected<Error> BadWorkbook(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace

Result<std::unique_ptr<Workbook>> Workbook::Create(std::string_view first_sheet) {
  std::unique_ptr<Workbook> workbook(new Workbook());
  workbook->package_ = BlankPackage();
  RETURN_IF_ERROR(workbook->ReadParts());
  RETURN_IF_ERROR(workbook->AddSheet(first_sheet));
  return workbook;
}

Result<std::unique_ptr<Workbook>> Workbook::Read(std::string_view bytes) {
  std::unique_ptr<Workbook> workbook(new Workbook());
  ASSIGN_OR_RETURN(workbook->package_, ooxml::Package::Read(bytes));
  RETURN_IF_ERROR(workbook->ReadParts());
  return workbook;
}

Status Workbook::ReadParts() {
  for (const ooxml::Relation& relation : package_.Relations(""))
    if (relation.Is("officeDocument") && !relation.external) part_ = relation.target;
  if (part_.empty() || !package_.Has(part_))
    return BadWorkbook("File contains no valid workbook part");
  ASSIGN_OR_RETURN(pugi::xml_document * document, package_.Xml(part_));
  root_ = document->document_element();
  if (std::string_view(root_.name()) != "workbook")
    return BadWorkbook("File contains no valid workbook part");
  starts_1904_ = root_.child("workbookPr").attribute("date1904").as_bool();
  RETURN_IF_ERROR(ReadStyles());
  ASSIGN_OR_RETURN(const std::vector<std::uint32_t> shared, ReadSharedStrings());
  return ReadSheets(shared);
}

std::string Workbook::RelatedPart(std::string_view kind) {
  for (const ooxml::Relation& relation : package_.Relations(part_))
    if (relation.Is(kind) && !relation.external && package_.Has(relation.target))
      return relation.target;
  return {};
}

Status Workbook::ReadStyles() {
  std::string part = RelatedPart("styles");
  if (part.empty()) {
    part = package_.FreeName("xl/styles", ".xml");
    package_.Put(part, BlankStyles(), kStylesType);
    package_.Relate(part_, "styles", part);
  }
  ASSIGN_OR_RETURN(pugi::xml_document * document, package_.Xml(part));
  styles_ = std::make_unique<Styles>(document->document_element());
  return {};
}

Result<std::vector<std::uint32_t>> Workbook::ReadSharedStrings() {
  std::vector<std::uint32_t> shared;
  const std::string part = RelatedPart("sharedStrings");
  if (part.empty()) return shared;
  ASSIGN_OR_RETURN(pugi::xml_document * document, package_.Xml(part));
  for (const pugi::xml_node item : document->document_element().children("si")) {
    StringItem read = ReadStringItem(item);
    // The standard escapes "_x000A_" in a text as "_x005F_x000A_"; its XML is kept as it stands.
    constexpr std::string_view kEscape = "x005F_";
    for (std::size_t at = 0; (at = read.plain.find(kEscape, at)) != std::string::npos;) {
      read.plain.erase(at, kEscape.size());
      read.is_plain = false;
    }
    shared.push_back(read.is_plain ? strings_->Intern(read.plain)
                                   : strings_->AddRich(std::move(read.plain), InnerXml(item)));
  }
  package_.Put(part, "");  // written anew from the cells
  return shared;
}

Status Workbook::ReadSheets(const std::vector<std::uint32_t>& shared) {
  for (const pugi::xml_node node : root_.child("sheets").children("sheet")) {
    const std::string id = ooxml::PrefixedAttribute(node, "id").value();
    for (const ooxml::Relation& relation : package_.Relations(part_)) {
      if (relation.id != id || relation.external || !package_.Has(relation.target)) continue;
      if (sheets_.size() >= kSheetsMax)
        return Fail(ErrorCode::kLimitExceeded,
                    "the workbook has more than " + std::to_string(kSheetsMax) + " sheets");
      for (const auto& other : sheets_)
        if (other->part() == relation.target)
          return BadWorkbook("two sheets share the part " + relation.target);
      auto sheet =
          std::make_unique<Sheet>(node.attribute("name").value(), relation.target, strings_.get());
      if (relation.Is("worksheet")) {
        ASSIGN_OR_RETURN(pugi::xml_document * document, package_.Xml(relation.target));
        RETURN_IF_ERROR(ReadSheet(*sheet, document->document_element(), shared, styles_->count()));
      }
      sheets_.push_back(std::move(sheet));
    }
  }
  return {};
}

Result<std::string> Workbook::Write() {
  Recalculate();
  SharedStrings shared(*strings_);
  for (const auto& sheet : sheets_) {
    if (!sheet->is_worksheet()) continue;
    WriteSheetElements(*sheet);
    pugi::xml_node data = sheet->Element("sheetData");
    data.remove_children();
    std::string cells = WriteCells(*sheet, shared);
    if (!cells.empty()) data.text().set(std::string(ooxml::kFill).c_str());
    package_.Fill(sheet->part(), std::move(cells));
  }
  WriteSharedStrings(shared.Part());
  AskForCalculation();
  return package_.Write();
}

void Workbook::WriteSharedStrings(std::string xml) {
  std::string part = RelatedPart("sharedStrings");
  if (part.empty()) {
    part = package_.FreeName("xl/sharedStrings", ".xml");
    package_.Relate(part_, "sharedStrings", part);
  }
  package_.Put(part, std::move(xml), kStringsType);
}

// The order in which another program computed the formulas no longer holds, so it is dropped, and
// that program is asked to compute them when it opens the file.
void Workbook::AskForCalculation() {
  for (const ooxml::Relation& relation : package_.Relations(part_))
    if (relation.Is("calcChain")) package_.Unrelate(part_, relation.id);
  pugi::xml_node settings = root_.child("calcPr");
  if (!settings) {
    pugi::xml_node before = root_.child("definedNames");
    for (const char* name : {"externalReferences", "functionGroups", "sheets"})
      if (!before) before = root_.child(name);
    settings = before ? root_.insert_child_after("calcPr", before) : root_.append_child("calcPr");
    settings.append_attribute("calcId").set_value("191029");
  }
  if (!settings.attribute("fullCalcOnLoad")) settings.append_attribute("fullCalcOnLoad");
  settings.attribute("fullCalcOnLoad").set_value("1");
}

Sheet* Workbook::Find(std::string_view name) {
  for (const auto& sheet : sheets_)
    if (sheet->name() == name) return sheet.get();
  return nullptr;
}

std::vector<std::string> Workbook::SheetNames() const {
  std::vector<std::string> names;
  for (const auto& sheet : sheets_) names.push_back(sheet->name());
  return names;
}

Sheet* Workbook::Active() {
  const std::size_t index =
      root_.child("bookViews").child("workbookView").attribute("activeTab").as_uint(0);
  if (sheets_.empty()) return nullptr;
  return sheets_[index < sheets_.size() ? index : 0].get();
}

std::vector<std::pair<std::string, std::string>> Workbook::DefinedNames() const {
  std::vector<std::pair<std::string, std::string>> names;
  for (const pugi::xml_node node : root_.child("definedNames").children("definedName"))
    if (!node.attribute("localSheetId"))
      names.emplace_back(node.attribute("name").value(), node.child_value());
  return names;
}

}  // namespace viv::tools::excel
