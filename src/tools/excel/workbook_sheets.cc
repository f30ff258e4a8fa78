#include <algorithm>

#include "base/text.h"
#include "tools/excel/blank_workbook.h"
#include "tools/excel/workbook.h"
#include "tools/formula/move.h"

namespace viv::tools::excel {
namespace {

constexpr std::size_t kNameBytesMax = 255;

// What of a sheet's XML belongs to parts of its own, which a copy does not get.
constexpr std::string_view kNotCopied[] = {
    "drawing",  "drawingHF",  "legacyDrawing",    "legacyDrawingHF", "picture", "oleObjects",
    "controls", "tableParts", "customProperties", "webPublishItems", "extLst"};

// The largest number that follows the name among all names, as a number for the next one: the
// copies of "Sheet" are Sheet1, Sheet2, ….
std::uint64_t NextNumber(const std::vector<std::string>& names, std::string_view name) {
  std::string all;
  for (const std::string& other : names) all += ToLower(other) + ',';
  const std::string wanted = ToLower(name);
  std::uint64_t highest = 0;
  for (std::size_t at = 0; (at = all.find(wanted, at)) != std::string::npos;) {
    at += wanted.size();
    std::uint64_t number = 0;
    for (; at < all.size() && all[at] >= '0' && all[at] <= '9' && number < 100'000'000; ++at)
      number = number * 10 + static_cast<std::uint64_t>(all[at] - '0');
    highest = std::max(highest, number);
  }
  return highest + 1;
}

void ForgetLocalNames(pugi::xml_node names, int index) {
  for (pugi::xml_node node = names.child("definedName"); node;) {
    const pugi::xml_node next = node.next_sibling("definedName");
    pugi::xml_attribute local = node.attribute("localSheetId");
    if (local && local.as_int() == index) {
      names.remove_child(node);
    } else if (local && local.as_int() > index) {
      local.set_value(local.as_int() - 1);
    }
    node = next;
  }
}

void RewriteText(pugi::xml_node node,
                 const std::string& sheet,
                 const std::function<std::string(const std::string&, const std::string&)>& change) {
  const std::string before = node.child_value();
  const std::string after = change(before, sheet);
  if (after != before) node.text().set(after.c_str());
}

void RewriteCells(
    Workbook& workbook,
    Sheet& sheet,
    const std::function<std::string(const std::string&, const std::string&)>& change) {
  std::unordered_map<std::uint32_t, std::uint32_t> done;
  for (auto& [number, row] : sheet.rows()) {
    for (auto& [column, cell] : row.cells) {
      if (cell.formula == 0) continue;
      const auto [found, is_new] = done.emplace(cell.formula, 0);
      if (is_new)
        found->second = workbook.strings().Intern(change(sheet.Formula(cell), sheet.name()));
      cell.formula = found->second;
    }
  }
}

}  // namespace

void RewriteFormulas(
    Workbook& workbook,
    const std::function<std::string(const std::string&, const std::string&)>& change) {
  for (const auto& sheet : workbook.sheets()) {
    RewriteCells(workbook, *sheet, change);
    for (pugi::xml_node format : sheet->root().children("conditionalFormatting"))
      for (pugi::xml_node rule : format.children("cfRule"))
        for (pugi::xml_node formula : rule.children("formula"))
          RewriteText(formula, sheet->name(), change);
    for (pugi::xml_node validation :
         sheet->root().child("dataValidations").children("dataValidation"))
      for (pugi::xml_node formula : validation.children())
        RewriteText(formula, sheet->name(), change);
  }
  for (pugi::xml_node name : workbook.root().child("definedNames").children("definedName"))
    RewriteText(name, "", change);
  // The ranges that charts show stand in <c:f>, at any depth of a chart's part.
  for (const std::string& part : workbook.package().Parts()) {
    if (!part.starts_with("xl/charts/chart") || !part.ends_with(".xml")) continue;
    auto document = workbook.package().Xml(part);
    if (!document) continue;
    const pugi::xml_node root = (*document)->document_element();
    struct Walker : pugi::xml_tree_walker {
      const std::function<std::string(const std::string&, const std::string&)>* change = nullptr;
      bool for_each(pugi::xml_node& node) override {
        const std::string_view name = node.name();
        if (name == "f" || name.ends_with(":f")) RewriteText(node, "", *change);
        return true;
      }
    } walker;
    walker.change = &change;
    pugi::xml_node(root).traverse(walker);
  }
}

pugi::xml_node Workbook::SheetElement(std::string_view name) {
  const std::string wanted(name);
  return root_.child("sheets").find_child_by_attribute("sheet", "name", wanted.c_str());
}

Result<std::string> Workbook::FreshTitle(std::string_view name) const {
  if (name.empty())
    return Fail(ErrorCode::kInvalidArgument, "Title must have at least one character");
  if (const std::size_t bad = name.find_first_of("\\*?:/[]"); bad != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument,
                std::string("Invalid character ") + name[bad] + " found in sheet title");
  if (name.size() > kNameBytesMax || !IsValidUtf8(name) ||
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; }))
    return Fail(ErrorCode::kInvalidArgument,
                "the sheet's name is too long or has characters that no workbook can hold; use up "
                "to 31 letters");
  const std::vector<std::string> names = SheetNames();
  const bool taken = std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return EqualsIgnoreCase(other, name);
  });
  return taken ? std::string(name) + std::to_string(NextNumber(names, name)) : std::string(name);
}

Sheet* Workbook::AppendSheet(std::string name, std::string xml) {
  const std::string part = package_.FreeName("xl/worksheets/sheet", ".xml");
  package_.Put(part, std::move(xml), kSheetType);
  pugi::xml_node list = root_.child("sheets");
  if (!list) list = root_.append_child("sheets");
  unsigned id = 1;
  for (const pugi::xml_node other : list.children("sheet"))
    id = std::max(id, other.attribute("sheetId").as_uint() + 1);
  pugi::xml_node node = list.append_child("sheet");
  node.append_attribute("name").set_value(name.c_str());
  node.append_attribute("sheetId").set_value(id);
  ooxml::SetRelationId(node, package_.Relate(part_, "worksheet", part));
  auto sheet = std::make_unique<Sheet>(std::move(name), part, strings_.get());
  if (auto document = package_.Xml(part)) sheet->set_root((*document)->document_element());
  sheets_.push_back(std::move(sheet));
  return sheets_.back().get();
}

Result<Sheet*> Workbook::AddSheet(std::string_view name) {
  ASSIGN_OR_RETURN(std::string title, FreshTitle(name.empty() ? std::string_view("Sheet") : name));
  return AppendSheet(std::move(title), BlankSheet());
}

Status Workbook::RemoveSheet(std::string_view name) {
  const auto found = std::find_if(sheets_.begin(), sheets_.end(),
                                  [&](const auto& sheet) { return sheet->name() == name; });
  if (found == sheets_.end())
    return Fail(ErrorCode::kNotFound, "Sheet '" + std::string(name) + "' not found");
  const int index = static_cast<int>(found - sheets_.begin());
  pugi::xml_node node = SheetElement(name);
  const std::string id = ooxml::PrefixedAttribute(node, "id").value();
  sheets_.erase(found);
  package_.Unrelate(part_, id);
  root_.child("sheets").remove_child(node);
  ForgetLocalNames(root_.child("definedNames"), index);
  for (pugi::xml_node view : root_.child("bookViews").children("workbookView"))
    for (const char* tab : {"activeTab", "firstSheet"})
      if (pugi::xml_attribute attribute = view.attribute(tab);
          attribute && attribute.as_int() >= index)
        attribute.set_value(std::max(0, attribute.as_int() - 1));
  return {};
}

Status Workbook::RenameSheet(std::string_view name, std::string_view to) {
  Sheet* sheet = Find(name);
  if (sheet == nullptr)
    return Fail(ErrorCode::kNotFound, "Sheet '" + std::string(name) + "' not found");
  ASSIGN_OR_RETURN(const std::string title, FreshTitle(to));
  SheetElement(name).attribute("name").set_value(title.c_str());
  const std::string before(name);
  RewriteFormulas(*this, [&](const std::string& text, const std::string&) {
    return formula::RenameSheet(text, before, title);
  });
  sheet->set_name(title);
  return {};
}

Result<Sheet*> Workbook::CopySheet(const Sheet& source, std::string_view name) {
  ASSIGN_OR_RETURN(std::string title, FreshTitle(name));
  ASSIGN_OR_RETURN(std::string xml, package_.Bytes(source.part()));
  Sheet* copy = AppendSheet(std::move(title), std::move(xml));
  pugi::xml_node root = copy->root();
  root.child("sheetData").remove_children();
  for (const std::string_view element : kNotCopied) root.remove_child(std::string(element).c_str());
  for (pugi::xml_node view : root.child("sheetViews").children("sheetView"))
    view.remove_attribute("tabSelected");
  if (pugi::xml_node options = root.child("pageSetup"))
    options.remove_attribute(ooxml::PrefixedAttribute(options, "id"));
  for (pugi::xml_node link : root.child("hyperlinks").children("hyperlink")) {
    pugi::xml_attribute id = ooxml::PrefixedAttribute(link, "id");
    if (!id) continue;
    id.set_value(
        package_
            .RelateExternal(copy->part(), "hyperlink", package_.Target(source.part(), id.value()))
            .c_str());
  }
  copy->rows() = source.rows();
  copy->merged() = source.merged();
  copy->formula_attributes() = source.formula_attributes();
  return copy;
}

}  // namespace viv::tools::excel
