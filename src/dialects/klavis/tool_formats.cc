#include "dialects/klavis/tool_formats.h"

#include <algorithm>
#include <array>
#include <utility>

namespace viv::klavis {
namespace {

constexpr std::array<std::pair<std::string_view, ToolFormat>, 4> kToolFormats = {{
    {"openai", ToolFormat::kOpenAi},
    {"anthropic", ToolFormat::kAnthropic},
    {"gemini", ToolFormat::kGemini},
    {"mcp_native", ToolFormat::kMcpNative},
}};

json::value SchemaOf(const json::value& tool) {
  const json::value* schema = Find(tool, "inputSchema");
  if (schema != nullptr && schema->is_object()) return *schema;
  return json::object{{"type", "object"}, {"properties", json::object()}};
}

// A JSON Schema in the part of it that Gemini's Schema has: no references, one type each, of the
// alternatives only anyOf. Schemas also come from boxes: references may be circular, so depth and
// size are limited; a node beyond the limits gets no constraints.
class GeminiSchema {
 public:
  explicit GeminiSchema(const json::value& root) : root_(root) {}

  json::object Of(const json::value& schema) {
    json::object out;
    if (!schema.is_object() || depth_ >= kDepthMax || ++nodes_ > kNodesMax) return out;
    ++depth_;
    Put(schema.get_object(), out);
    --depth_;
    return out;
  }

 private:
  static constexpr int kDepthMax = 32;
  static constexpr int kNodesMax = 10'000;

  void Put(const json::object& schema, json::object& out) {
    if (const json::value* reference = schema.if_contains("$ref"); reference != nullptr)
      if (const json::value* found = Resolve(*reference)) out = Of(*found);
    for (std::string_view name : {"description", "title", "pattern", "minimum", "maximum",
                                  "minItems", "maxItems", "minLength", "maxLength", "nullable"})
      if (const json::value* value = schema.if_contains(name)) out[name] = *value;
    if (const json::value* type = schema.if_contains("type")) PutType(*type, out);
    PutEnum(schema, out);
    // The only formats of texts that the API knows.
    if (const json::value* format = schema.if_contains("format");
        format != nullptr && format->is_string() &&
        (format->get_string() == "date-time" || format->get_string() == "enum"))
      out["format"] = *format;
    if (const json::value* items = schema.if_contains("items"); items != nullptr)
      out["items"] = Of(*items);
    PutProperties(schema, out);
    for (std::string_view name : {"anyOf", "oneOf"})
      if (const json::value* choices = schema.if_contains(name);
          choices != nullptr && choices->is_array())
        PutChoices(choices->get_array(), out);
  }

  static void PutType(const json::value& type, json::object& out) {
    if (type.is_string()) out["type"] = type;
    if (!type.is_array()) return;
    for (const json::value& one : type.get_array()) {
      if (!one.is_string()) continue;
      if (one.get_string() == "null") {
        out["nullable"] = true;
      } else if (!out.contains("type")) {
        out["type"] = one;
      }
    }
  }

  static void PutEnum(const json::object& schema, json::object& out) {
    json::array texts;
    if (const json::value* constant = schema.if_contains("const");
        constant != nullptr && constant->is_string())
      texts.push_back(*constant);
    if (const json::value* values = schema.if_contains("enum");
        values != nullptr && values->is_array())
      for (const json::value& value : values->get_array())
        if (value.is_string()) texts.push_back(value);
    if (!texts.empty()) out["enum"] = std::move(texts);
  }

  void PutProperties(const json::object& schema, json::object& out) {
    const json::value* properties = schema.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return;
    json::object kept;
    for (const auto& [name, property] : properties->get_object()) kept[name] = Of(property);
    json::array required;
    if (const json::value* names = schema.if_contains("required");
        names != nullptr && names->is_array())
      for (const json::value& name : names->get_array())
        if (name.is_string() && kept.contains(View(name.get_string()))) required.push_back(name);
    out["properties"] = std::move(kept);
    if (!required.empty()) out["required"] = std::move(required);
  }

  void PutChoices(const json::array& choices, json::object& out) {
    json::array kept;
    for (const json::value& choice : choices) {
      json::object one = Of(choice);
      if (FindString(one, "type") == "null") {
        out["nullable"] = true;
      } else {
        kept.push_back(std::move(one));
      }
    }
    if (kept.size() != 1) {
      if (!kept.empty()) out["anyOf"] = std::move(kept);
      return;
    }
    for (auto& [name, value] : kept[0].get_object())
      if (!out.contains(name)) out[name] = value;
  }

  // "#/$defs/Name"
  const json::value* Resolve(const json::value& reference) const {
    if (!reference.is_string()) return nullptr;
    const std::string_view text = View(reference.get_string());
    for (const auto& [prefix, member] :
         {std::pair<std::string_view, std::string_view>{"#/$defs/", "$defs"},
          std::pair<std::string_view, std::string_view>{"#/definitions/", "definitions"}}) {
      if (!text.starts_with(prefix)) continue;
      const json::value* all = Find(root_, member);
      return all == nullptr ? nullptr : Find(*all, text.substr(prefix.size()));
    }
    return nullptr;
  }

  const json::value& root_;
  int depth_ = 0;
  int nodes_ = 0;
};

json::object Declared(std::string_view name, std::string_view description) {
  return {{"name", json::string(name)}, {"description", json::string(description)}};
}

json::value GeminiFunction(json::object function, const json::value& schema) {
  json::object parameters = GeminiSchema(schema).Of(schema);
  // The API refuses an object without properties.
  const json::value* properties = parameters.if_contains("properties");
  if (properties != nullptr && !properties->get_object().empty())
    function["parameters"] = std::move(parameters);
  return function;
}

}  // namespace

std::optional<ToolFormat> ParseToolFormat(std::string_view name) {
  for (const auto& [text, format] : kToolFormats)
    if (text == name) return format;
  return std::nullopt;
}

std::string_view NameOf(ToolFormat format) {
  for (const auto& [text, known] : kToolFormats)
    if (known == format) return text;
  return "";
}

json::array ToolsInFormat(ToolFormat format, const json::array& tools) {
  json::array out;
  for (const json::value& tool : tools) {
    if (FindString(tool, "name").empty()) continue;
    json::object function = Declared(FindString(tool, "name"), FindString(tool, "description"));
    switch (format) {
      case ToolFormat::kOpenAi:
        function["parameters"] = SchemaOf(tool);
        out.push_back(json::object{{"type", "function"}, {"function", std::move(function)}});
        break;
      case ToolFormat::kAnthropic:
        function["input_schema"] = SchemaOf(tool);
        out.push_back(std::move(function));
        break;
      case ToolFormat::kGemini:
        out.push_back(GeminiFunction(std::move(function), SchemaOf(tool)));
        break;
      case ToolFormat::kMcpNative:
        out.push_back(tool);
        break;
    }
  }
  if (format != ToolFormat::kGemini || out.empty()) return out;
  return {json::object{{"functionDeclarations", std::move(out)}}};
}

}  // namespace viv::klavis
