#include "tools/excel/validation.h"

#include <algorithm>

#include "base/text.h"
#include "tools/excel/cell_value.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

constexpr std::uint32_t kListValuesMax = 10'000;
constexpr std::size_t kRangesMax = 10'000;

std::string StripQuotes(std::string_view text) {
  while (!text.empty() && text.front() == '"') text.remove_prefix(1);
  while (!text.empty() && text.back() == '"') text.remove_suffix(1);
  return std::string(text);
}

// "Sheet1!$A$1:$A$5", also with whole columns; nullopt when it is none.
std::optional<Range> ListRange(const Sheet& sheet, std::string_view text) {
  if (const auto range = ParseRange(text)) return range;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const auto column = [](std::string_view word) {
    return ColumnNumber(!word.empty() && word.front() == '$' ? word.substr(1) : word);
  };
  const auto first = column(text.substr(0, colon));
  const auto last = column(text.substr(colon + 1));
  if (!first || !last) return {};
  return Range{{1, std::min(*first, *last)}, {sheet.Used().last.row, std::max(*first, *last)}};
}

json::array ValuesOf(Workbook& workbook, const Sheet& sheet, const Range& range) {
  json::array values;
  for (const auto& [number, row] : sheet.rows()) {
    if (number < range.first.row || number > range.last.row) continue;
    for (const auto& [column, cell] : row.cells) {
      if (column < range.first.column || column > range.last.column) continue;
      const json::value value = CellValue(workbook, sheet, {number, column});
      if (!value.is_null()) values.emplace_back(PythonText(value));
      if (values.size() >= kListValuesMax) return values;
    }
  }
  return values;
}

json::array ReferredValues(Workbook& workbook, const Sheet& own, const std::string& formula) {
  std::string_view text = formula;
  if (text.front() == '=') text.remove_prefix(1);
  const Sheet* sheet = &own;
  if (const std::size_t mark = text.rfind('!'); mark != std::string_view::npos) {
    std::string_view name = text.substr(0, mark);
    if (name.size() > 1 && name.front() == '\'' && name.back() == '\'')
      name = name.substr(1, name.size() - 2);
    sheet = workbook.Find(name);
    text.remove_prefix(mark + 1);
  }
  const auto range = sheet == nullptr ? std::nullopt : ListRange(*sheet, text);
  if (!range) return {json::value("Range: " + formula + " (resolution error)")};
  json::array values = ValuesOf(workbook, *sheet, *range);
  if (values.empty()) values.emplace_back("Range: " + formula + " (empty or unresolvable)");
  return values;
}

json::array AllowedValues(Workbook& workbook, const Sheet& sheet, std::string_view raw) {
  const std::string formula = StripQuotes(raw);
  if (formula.find(',') != std::string::npos) {
    json::array values;
    for (const std::string_view word : Split(formula, ','))
      if (std::string value = StripQuotes(Trim(word)); !value.empty())
        values.emplace_back(std::move(value));
    return values;
  }
  if (formula.find(':') != std::string::npos || formula.starts_with('$') ||
      formula.find('!') != std::string::npos)
    return ReferredValues(workbook, sheet, formula);
  return {json::value(formula)};
}

Validation ReadValidation(Workbook& workbook, const Sheet& sheet, pugi::xml_node node) {
  Validation rule;
  const std::string sqref = node.attribute("sqref").value();
  for (const std::string_view word : Split(sqref, ' '))
    if (const auto range = ParseRange(word); range && rule.ranges.size() < kRangesMax)
      rule.ranges.push_back(*range);
  const std::string type = node.attribute("type").value();
  const json::value shown_type =
      type.empty() || type == "none" ? json::value(nullptr) : json::value(type);
  const bool allow_blank = node.attribute("allowBlank").as_bool();
  const std::string formula1 = node.child_value("formula1");

  rule.about_rule = {
      {"ranges", sqref}, {"validation_type", shown_type}, {"allow_blank", allow_blank}};
  rule.about_cell = {
      {"has_validation", true}, {"validation_type", shown_type}, {"allow_blank", allow_blank}};
  constexpr std::pair<const char*, const char*> kTexts[] = {{"operator", "operator"},
                                                            {"prompt", "prompt"},
                                                            {"promptTitle", "prompt_title"},
                                                            {"error", "error_message"},
                                                            {"errorTitle", "error_title"}};
  for (const auto& [attribute, key] : kTexts)
    if (const std::string_view text = node.attribute(attribute).value(); !text.empty())
      rule.about_cell[key] = text;
  if (type == "list" && !formula1.empty()) {
    const json::array values = AllowedValues(workbook, sheet, formula1);
    rule.about_rule["allowed_values"] = values;
    rule.about_cell["allowed_values"] = values;
  } else if (!formula1.empty()) {
    rule.about_cell["formula1"] = formula1;
    if (const std::string formula2 = node.child_value("formula2"); !formula2.empty())
      rule.about_cell["formula2"] = formula2;
  }
  return rule;
}

Result<std::string> DataValidationInfo(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  const std::string name = arguments.Text("sheet_name");
  Sheet* sheet = workbook->Find(name);
  if (sheet == nullptr) return "Error: Sheet '" + name + "' not found";
  json::array rules;
  for (Validation& rule : ReadValidations(*workbook, *sheet))
    rules.emplace_back(std::move(rule.about_rule));
  if (rules.empty()) return std::string("No data validation rules found in this worksheet");
  return PythonJson(json::object{{"sheet_name", name}, {"validation_rules", std::move(rules)}});
}

}  // namespace

std::vector<Validation> ReadValidations(Workbook& workbook, const Sheet& sheet) {
  std::vector<Validation> rules;
  for (const pugi::xml_node node : sheet.root().child("dataValidations").children("dataValidation"))
    rules.push_back(ReadValidation(workbook, sheet, node));
  return rules;
}

void BindValidationTools(ToolServer& server, const Workspace& workspace) {
  Bind(
      server, "get_data_validation_info",
      [workspace](const Arguments& a) { return DataValidationInfo(workspace, a); },
      Failure::kRaised);
}

}  // namespace viv::tools::excel
