#include "tools/excel/conditional_format.h"

#include <algorithm>
#include <array>

#include "tools/excel/python_text.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

constexpr std::size_t kFormulasMax = 3;
constexpr std::size_t kIconsMax = 5;

struct RuleKind {
  std::string_view type;   // as agents name it
  std::string_view maker;  // as openpyxl does, for its words
  std::string_view xml_type;
  std::vector<std::string_view> parameters;
};

const std::array<RuleKind, 5>& RuleKinds() {
  static const std::array<RuleKind, 5> kinds = {{
      {"color_scale",
       "ColorScaleRule",
       "colorScale",
       {"start_type", "start_value", "start_color", "mid_type", "mid_value", "mid_color",
        "end_type", "end_value", "end_color"}},
      {"data_bar",
       "DataBarRule",
       "dataBar",
       {"start_type", "start_value", "end_type", "end_value", "color", "showValue", "minLength",
        "maxLength"}},
      {"icon_set",
       "IconSetRule",
       "iconSet",
       {"icon_style", "type", "values", "showValue", "percent", "reverse"}},
      {"formula", "FormulaRule", "expression", {"formula", "stopIfTrue", "font", "border", "fill"}},
      {"cell_is",
       "CellIsRule",
       "cellIs",
       {"operator", "formula", "stopIfTrue", "font", "border", "fill"}},
  }};
  return kinds;
}

tl::unexpected<Error> BadRule(std::string message) {
  return Fail(ErrorCode::kInvalidArgument,
              "Failed to apply conditional formatting: " + std::move(message));
}

const json::value* Parameter(const json::object& params, std::string_view name) {
  const json::value* found = params.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

// <cfvo type="num" val="5"/> for a type and a value of the parameters.
Status AddPoint(pugi::xml_node parent, const json::value* type, const json::value* value) {
  constexpr std::array<std::string_view, 6> kTypes = {"num", "percent", "max",
                                                      "min", "formula", "percentile"};
  const std::string name = type == nullptr ? "" : PythonText(*type);
  if (std::find(kTypes.begin(), kTypes.end(), name) == kTypes.end())
    return BadRule(MustBeOneOf(kTypes));
  pugi::xml_node point = parent.append_child("cfvo");
  point.append_attribute("type").set_value(name.c_str());
  if (value != nullptr) point.append_attribute("val").set_value(PythonText(*value).c_str());
  return {};
}

Status AddColor(pugi::xml_node parent, const json::value& color) {
  const auto parsed = ParseColor(PythonText(color));
  if (!parsed) return BadRule(parsed.error().message);
  parent.append_child("color").append_attribute("rgb").set_value(parsed->c_str());
  return {};
}

void AddFlag(pugi::xml_node node, const json::object& params, const char* name) {
  if (const json::value* flag = Parameter(params, name); flag != nullptr && flag->is_bool())
    node.append_attribute(name).set_value(flag->get_bool() ? "1" : "0");
}

Status FillColorScale(pugi::xml_node rule, const json::object& params) {
  pugi::xml_node scale = rule.append_child("colorScale");
  constexpr std::string_view kPoints[] = {"start", "mid", "end"};
  for (const std::string_view point : kPoints) {
    const std::string name(point);
    if (const json::value* type = Parameter(params, name + "_type"))
      RETURN_IF_ERROR(AddPoint(scale, type, Parameter(params, name + "_value")));
  }
  for (const std::string_view point : kPoints)
    if (const json::value* color = Parameter(params, std::string(point) + "_color"))
      RETURN_IF_ERROR(AddColor(scale, *color));
  return {};
}

Status FillDataBar(pugi::xml_node rule, const json::object& params) {
  pugi::xml_node bar = rule.append_child("dataBar");
  AddFlag(bar, params, "showValue");
  for (const char* name : {"minLength", "maxLength"})
    if (const json::value* length = Parameter(params, name);
        length != nullptr && length->is_int64())
      bar.append_attribute(name).set_value(
          static_cast<int>(std::clamp<std::int64_t>(length->get_int64(), 0, 100)));
  RETURN_IF_ERROR(AddPoint(bar, Parameter(params, "start_type"), Parameter(params, "start_value")));
  RETURN_IF_ERROR(AddPoint(bar, Parameter(params, "end_type"), Parameter(params, "end_value")));
  const json::value* color = Parameter(params, "color");
  return color == nullptr ? BadRule("a data bar needs a color") : AddColor(bar, *color);
}

Status FillIconSet(pugi::xml_node rule, const json::object& params) {
  constexpr std::array<std::string_view, 17> kStyles = {
      "3Arrows",     "3ArrowsGray", "3Flags",         "3TrafficLights1", "3TrafficLights2",
      "3Signs",      "3Symbols",    "3Symbols2",      "4Arrows",         "4ArrowsGray",
      "4RedToBlack", "4Rating",     "4TrafficLights", "5Arrows",         "5ArrowsGray",
      "5Rating",     "5Quarters"};
  const json::value* style = Parameter(params, "icon_style");
  const json::value* values = Parameter(params, "values");
  if (values == nullptr || !values->is_array() || values->get_array().size() > kIconsMax)
    return BadRule("values must be a list of up to five numbers");
  pugi::xml_node set = rule.append_child("iconSet");
  if (style != nullptr) {
    const std::string name = PythonText(*style);
    if (std::find(kStyles.begin(), kStyles.end(), name) == kStyles.end())
      return BadRule(MustBeOneOf(kStyles));
    set.append_attribute("iconSet").set_value(name.c_str());
  }
  for (const char* flag : {"showValue", "percent", "reverse"}) AddFlag(set, params, flag);
  for (const json::value& value : values->get_array())
    RETURN_IF_ERROR(AddPoint(set, Parameter(params, "type"), &value));
  return {};
}

// The <dxf> of a rule: font and fill as {color, bold, italic} and {fgColor} describe them.
Result<std::string> DifferentialXml(const json::object& params) {
  std::string xml = "<dxf>";
  if (const json::value* font = Parameter(params, "font")) {
    if (!font->is_object())
      return BadRule("font must be an object such as {\"color\": \"FF0000\", \"bold\": true}");
    xml += "<font>";
    for (const auto& [name, element] : {std::pair("bold", "<b/>"), std::pair("italic", "<i/>")})
      if (const json::value* flag = Parameter(font->get_object(), name);
          flag != nullptr && *flag == true)
        xml += element;
    if (const json::value* color = Parameter(font->get_object(), "color")) {
      const auto parsed = ParseColor(PythonText(*color));
      if (!parsed) return BadRule(parsed.error().message);
      xml += "<color rgb=\"" + *parsed + "\"/>";
    }
    xml += "</font>";
  }
  if (const json::value* fill = Parameter(params, "fill")) {
    if (!fill->is_object())
      return BadRule("fill must be an object such as {\"fgColor\": \"FFC7CE\"}");
    const json::value* color = Parameter(fill->get_object(), "fgColor");
    const auto parsed = ParseColor(color == nullptr ? "FFC7CE" : PythonText(*color));
    if (!parsed)
      return Fail(ErrorCode::kInvalidArgument,
                  "Invalid conditional format fill color: " + parsed.error().message);
    xml += "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"" + *parsed +
           "\"/><bgColor rgb=\"" + *parsed + "\"/></patternFill></fill>";
  }
  return xml + "</dxf>";
}

Result<std::string> OperatorName(const json::value* given) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {">", "greaterThan"}, {">=", "greaterThanOrEqual"},
      {"<", "lessThan"},    {"<=", "lessThanOrEqual"},
      {"=", "equal"},       {"==", "equal"},
      {"!=", "notEqual"}};
  constexpr std::array<std::string_view, 12> kOperators = {
      "lessThan",           "lessThanOrEqual", "equal",      "notEqual",
      "greaterThanOrEqual", "greaterThan",     "between",    "notBetween",
      "containsText",       "notContains",     "beginsWith", "endsWith"};
  std::string name = given == nullptr ? "" : PythonText(*given);
  for (const auto& [sign, word] : kSigns)
    if (name == sign) name = word;
  if (std::find(kOperators.begin(), kOperators.end(), name) == kOperators.end())
    return BadRule(MustBeOneOf(kOperators));
  return name;
}

Status FillFormulas(Workbook& workbook, pugi::xml_node rule, const json::object& params) {
  ASSIGN_OR_RETURN(const std::string dxf, DifferentialXml(params));
  rule.append_attribute("dxfId").set_value(workbook.styles().AddDifferential(dxf));
  AddFlag(rule, params, "stopIfTrue");
  const json::value* formula = Parameter(params, "formula");
  if (formula == nullptr) return BadRule("formula is missing; give a list such as [\"100\"]");
  const json::array one = {*formula};
  const json::array& all = formula->is_array() ? formula->get_array() : one;
  if (all.empty() || all.size() > kFormulasMax)
    return BadRule("formula must be a list of one to three texts");
  for (const json::value& text : all) {
    if (!text.is_string() && !text.is_number()) return BadRule("expected <class 'str'>");
    rule.append_child("formula").text().set(PythonText(text).c_str());
  }
  return {};
}

int NextPriority(const Sheet& sheet) {
  int next = 1;
  for (const pugi::xml_node format : sheet.root().children("conditionalFormatting"))
    for (const pugi::xml_node rule : format.children("cfRule"))
      next = std::max(next, rule.attribute("priority").as_int() + 1);
  return next;
}

pugi::xml_node AddFormatElement(Sheet& sheet) {
  pugi::xml_node last;
  for (const pugi::xml_node format : sheet.root().children("conditionalFormatting")) last = format;
  if (last) return sheet.root().insert_child_after("conditionalFormatting", last);
  return sheet.Element("conditionalFormatting");
}

}  // namespace

Result<std::string> ParseColor(std::string_view text) {
  std::string color(text);
  if (!color.starts_with("FF")) color = "FF" + color;
  const bool is_hex = color.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!is_hex || (color.size() != 6 && color.size() != 8))
    return Fail(ErrorCode::kInvalidArgument, "Colors must be aRGB hex values");
  return color.size() == 6 ? "00" + color : color;
}

Status AddConditionalFormat(Workbook& workbook,
                            Sheet& sheet,
                            std::string_view range,
                            const json::object& format) {
  const json::value* type = Parameter(format, "type");
  if (type == nullptr || !type->is_string() || type->get_string().empty())
    return Fail(ErrorCode::kInvalidArgument, "Conditional format type not specified");
  const json::value* given = Parameter(format, "params");
  const json::object none;
  const json::object& params = given != nullptr && given->is_object() ? given->get_object() : none;
  const auto kind =
      std::find_if(RuleKinds().begin(), RuleKinds().end(),
                   [&](const RuleKind& known) { return known.type == View(type->get_string()); });
  if (kind == RuleKinds().end())
    return BadRule("Invalid conditional format type: " + PythonText(*type));
  for (const auto& member : params)
    if (std::find(kind->parameters.begin(), kind->parameters.end(), member.key()) ==
        kind->parameters.end())
      return BadRule(std::string(kind->maker) + "() got an unexpected keyword argument " +
                     PythonRepr(std::string_view(member.key())));
  const int priority = NextPriority(sheet);
  pugi::xml_node element = AddFormatElement(sheet);
  element.append_attribute("sqref").set_value(std::string(range).c_str());
  pugi::xml_node rule = element.append_child("cfRule");
  rule.append_attribute("type").set_value(std::string(kind->xml_type).c_str());
  rule.append_attribute("priority").set_value(priority);
  if (kind->type == "color_scale") return FillColorScale(rule, params);
  if (kind->type == "data_bar") return FillDataBar(rule, params);
  if (kind->type == "icon_set") return FillIconSet(rule, params);
  if (kind->type == "cell_is") {
    ASSIGN_OR_RETURN(const std::string name, OperatorName(Parameter(params, "operator")));
    rule.append_attribute("operator").set_value(name.c_str());
  }
  return FillFormulas(workbook, rule, params);
}

}  // namespace viv::tools::excel
