// JSON as SQL functions: what SQLite's own lack. An argument that holds a document is parsed; one
// that is an element (of an array) is JSON when SQLite says so, otherwise the SQL value itself.

#include <set>

#include "engine/functions/families.h"
#include "engine/functions/json_text.h"

namespace viv::engine::functions {
namespace {

Result<Value> ToValue(Result<std::string> text) {
  if (!text) return PassUp(std::move(text).error());
  return Json{*std::move(text)};
}

Result<json::value> Document(const Arguments& arguments, int index) {
  return ParseJson(arguments.Text(index));
}

Result<json::array> ArrayArgument(const Arguments& arguments, int index) {
  ASSIGN_OR_RETURN(json::value value, Document(arguments, index));
  if (!value.is_array())
    return Invalid("argument " + std::to_string(index + 1) + " must be a JSON array");
  return std::move(value.get_array());
}

Result<json::value> Element(const Arguments& arguments, int index) {
  if (arguments.IsJson(index)) return Document(arguments, index);
  switch (arguments.Type(index)) {
    case SQLITE_INTEGER: {
      ASSIGN_OR_RETURN(std::int64_t number, arguments.Integer(index));
      return json::value(number);
    }
    case SQLITE_FLOAT:
      return json::value(arguments.Real(index));
    default:
      return json::value(arguments.Text(index));
  }
}

// Objects merge member by member; anything else in `over` replaces, null too. Depth as parsed.
void MergeDeep(json::value& under, json::value&& over) {
  if (!under.is_object() || !over.is_object()) {
    under = std::move(over);
    return;
  }
  for (auto& member : over.get_object())
    MergeDeep(under.get_object()[member.key()], std::move(member.value()));
}

bool IsEmpty(const json::value& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty()) ||
         (value.is_object() && value.get_object().empty());
}

// Members that say nothing go; elements stay, since their positions may mean something.
json::value Compact(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    json::array out;
    for (const json::value& item : *array) out.push_back(Compact(item));
    return out;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  json::object out;
  for (const auto& member : *object) {
    json::value compact = Compact(member.value());
    if (!IsEmpty(compact)) out.emplace(member.key(), std::move(compact));
  }
  return out;
}

Result<Value> JsonMergeDeep(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::value under, Document(arguments, 0));
  ASSIGN_OR_RETURN(json::value over, Document(arguments, 1));
  MergeDeep(under, std::move(over));
  return ToValue(JsonText(under));
}

Result<Value> JsonPretty(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::value value, Document(arguments, 0));
  // Text, not JSON: inside a JSON result it stands as a string, for people to read.
  ASSIGN_OR_RETURN(std::string text, JsonText(value, JsonLayout::kPretty));
  return text;
}

Result<Value> JsonCompact(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::value value, Document(arguments, 0));
  return ToValue(JsonText(Compact(value)));
}

Result<Value> JsonSortKeys(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::value value, Document(arguments, 0));
  return ToValue(JsonText(value, JsonLayout::kLine, JsonOrder::kSorted));
}

Result<Value> JsonArrayAppend(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::array array, ArrayArgument(arguments, 0));
  ASSIGN_OR_RETURN(json::value element, Element(arguments, 1));
  array.push_back(std::move(element));
  return ToValue(JsonText(array));
}

Result<Value> JsonArrayRemove(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::array array, ArrayArgument(arguments, 0));
  ASSIGN_OR_RETURN(json::value element, Element(arguments, 1));
  ASSIGN_OR_RETURN(std::string removed, CanonicalJson(element));
  json::array kept;
  for (json::value& item : array) {
    ASSIGN_OR_RETURN(std::string canonical, CanonicalJson(item));
    if (canonical != removed) kept.push_back(std::move(item));
  }
  return ToValue(JsonText(kept));
}

Result<Value> JsonArrayContains(const Arguments& arguments) {
  ASSIGN_OR_RETURN(json::array array, ArrayArgument(arguments, 0));
  ASSIGN_OR_RETURN(json::value element, Element(arguments, 1));
  ASSIGN_OR_RETURN(std::string wanted, CanonicalJson(element));
  for (const json::value& item : array) {
    ASSIGN_OR_RETURN(std::string canonical, CanonicalJson(item));
    if (canonical == wanted) return std::int64_t{1};
  }
  return std::int64_t{0};
}

Result<Value> JsonArrayUnion(const Arguments& arguments) {
  json::array out;
  std::set<std::string> seen;
  for (int index : {0, 1}) {
    ASSIGN_OR_RETURN(json::array array, ArrayArgument(arguments, index));
    for (json::value& item : array) {
      ASSIGN_OR_RETURN(std::string canonical, CanonicalJson(item));
      if (seen.insert(std::move(canonical)).second) out.push_back(std::move(item));
    }
  }
  return ToValue(JsonText(out));
}

// As json_object, without the members that are NULL: what json_patch('{}', json_object(…)) does for
// them, but nothing is parsed, for a JSON argument is known to be JSON.
Result<Value> JsonPresent(const Arguments& arguments) {
  if (arguments.size() % 2 != 0) return Invalid("names and values come in pairs");
  std::string text = "{";
  for (int i = 0; i < arguments.size(); i += 2) {
    if (!arguments.Has(i)) return Invalid("a name is NULL");
    if (!arguments.Has(i + 1)) continue;
    std::string_view value = arguments.Text(i + 1);
    if (arguments.IsJson(i + 1) && value == "null") continue;
    if (text.size() > 1) text += ',';
    AppendJsonString(text, arguments.Text(i));
    text += ':';
    int type = arguments.Type(i + 1);
    if (type == SQLITE_BLOB) return Invalid("JSON cannot hold BLOB values");
    if (arguments.IsJson(i + 1) || type != SQLITE_TEXT) {
      text += value;
    } else {
      AppendJsonString(text, value);
    }
  }
  text += '}';
  return Json{std::move(text)};
}

// json() without its reading: for what SQL itself has put together. A text that is no JSON after
// all makes the whole answer none, which is noticed when it is read.
Result<Value> JsonKnown(const Arguments& arguments) {
  return Json{std::string(arguments.Text(0))};
}

}  // namespace

std::span<const Function> JsonFunctions() {
  static constexpr Function kFunctions[] = {
      {"json_merge_deep", 2, 2, JsonMergeDeep},
      {"json_pretty", 1, 1, JsonPretty},
      {"json_compact", 1, 1, JsonCompact},
      {"json_sort_keys", 1, 1, JsonSortKeys},
      {"json_array_append", 2, 2, JsonArrayAppend},
      {"json_array_remove", 2, 2, JsonArrayRemove},
      {"json_array_contains", 2, 2, JsonArrayContains},
      {"json_array_union", 2, 2, JsonArrayUnion},
      {"json_known", 1, 1, JsonKnown},
      {"json_present", -1, -1, JsonPresent, NullHandling::kPassToBody}};
  return kFunctions;
}

}  // namespace viv::engine::functions
