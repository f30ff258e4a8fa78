// Semi-structured values: paths, objects, arrays. A value that must keep its nature comes with a
// tag before it (see ToJson).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "engine/guest_sql/function.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::int64_t kRangeMax = 100'000;

// A variant argument as JSON; text that is no JSON document is a string.
json::value JsonAt(const Arguments& a, std::size_t index) {
  return ToJson('j', a.At(index));
}

std::optional<json::array> ArrayAt(const Arguments& a, std::size_t index) {
  json::value value = JsonAt(a, index);
  if (!value.is_array()) return std::nullopt;
  return std::move(value.get_array());
}

const json::value* Child(const json::value& value, std::string_view key) {
  return Find(value, key);
}

const json::value* Child(const json::value& value, std::int64_t index) {
  if (!value.is_array() || index < 0) return nullptr;
  return value.get_array().if_contains(static_cast<std::size_t>(index));
}

// (value, key, key …): texts are members, integers are elements.
Result<Value> Get(const Arguments& a) {
  const json::value root = JsonAt(a, 0);
  const json::value* at = &root;
  for (std::size_t i = 1; i < a.size() && at != nullptr; ++i) {
    at = a.IsText(i) ? Child(*at, a.Text(i)) : Child(*at, a.Integer(i));
  }
  return at == nullptr ? NullValue() : FromJson(*at);
}

// (value, 'a.b[0]')
Result<Value> GetPath(const Arguments& a) {
  const json::value root = JsonAt(a, 0);
  const json::value* at = &root;
  std::string_view path = a.Text(1);
  while (!path.empty() && at != nullptr) {
    if (path[0] == '.' || path[0] == ':') {
      path.remove_prefix(1);
      continue;
    }
    if (path[0] == '[') {
      const std::size_t close = path.find(']');
      if (close == path.npos) return NullValue();
      std::string key(path.substr(1, close - 1));
      const bool quoted = key.size() > 1 && (key.front() == '\'' || key.front() == '"');
      at = quoted ? Child(*at, std::string_view(key).substr(1, key.size() - 2))
                  : Child(*at, static_cast<std::int64_t>(std::strtoll(key.c_str(), nullptr, 10)));
      path.remove_prefix(close + 1);
      continue;
    }
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    at = Child(*at, path.substr(0, end));
    path.remove_prefix(end);
  }
  return at == nullptr ? NullValue() : FromJson(*at);
}

Result<Value> TryParse(const Arguments& a) {
  auto parsed = ParseJson(a.Text(0));
  return parsed ? FromJson(*parsed) : NullValue();
}

Result<Value> Parse(const Arguments& a) {
  if (!a.IsText(0)) return a.At(0);
  if (a.Text(0).find_first_not_of(" \t\r\n") == std::string_view::npos) return NullValue();
  auto parsed = ParseJson(a.Text(0));
  if (!parsed) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("100069 (22P02): Error parsing JSON: {}",
                                                         parsed.error().message.substr(0, 200)));
  }
  return FromJson(*parsed);
}

json::value TaggedAt(const Arguments& a, std::size_t index) {
  std::string_view tag = a.Text(index);
  return ToJson(tag.empty() ? 't' : tag[0], a.At(index + 1));
}

Result<Value> ObjectFrom(const Arguments& a, bool keep_nulls) {
  json::object object;
  for (std::size_t i = 0; i + 3 < a.size(); i += 4) {
    if (a.IsNull(i + 1)) continue;
    json::value value = TaggedAt(a, i + 2);
    if (!value.is_null() || keep_nulls)
      object.insert_or_assign(std::string(a.Text(i + 1)), std::move(value));
  }
  return Value(json::serialize(object));
}

Result<Value> Object(const Arguments& a) {
  return ObjectFrom(a, false);
}

Result<Value> ObjectWithNulls(const Arguments& a) {
  return ObjectFrom(a, true);
}

Result<Value> Array(const Arguments& a) {
  json::array array;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) array.push_back(TaggedAt(a, i));
  return Value(json::serialize(array));
}

Result<Value> ArraySize(const Arguments& a) {
  auto array = ArrayAt(a, 0);
  if (!array) return NullValue();
  return Value(static_cast<std::int64_t>(array->size()));
}

// (tag, value, tag, array)
Result<Value> ArrayContains(const Arguments& a) {
  auto array = ArrayAt(a, 3);
  if (!array) return NullValue();
  const json::value wanted = TaggedAt(a, 0);
  return Value(std::int64_t{std::find(array->begin(), array->end(), wanted) != array->end()});
}

// (tag, array, tag, value)
Result<Value> ArrayAppend(const Arguments& a) {
  auto array = ArrayAt(a, 1);
  if (!array) return NullValue();
  array->push_back(TaggedAt(a, 2));
  return Value(json::serialize(*array));
}

Result<Value> ArrayCat(const Arguments& a) {
  auto left = ArrayAt(a, 0);
  auto right = ArrayAt(a, 1);
  if (!left || !right) return NullValue();
  left->insert(left->end(), right->begin(), right->end());
  return Value(json::serialize(*left));
}

Result<Value> ArrayDistinct(const Arguments& a) {
  auto array = ArrayAt(a, 0);
  if (!array) return NullValue();
  std::set<std::string> seen;
  json::array out;
  for (const json::value& value : *array) {
    if (seen.insert(json::serialize(value)).second) out.push_back(value);
  }
  return Value(json::serialize(out));
}

Result<Value> ArraySlice(const Arguments& a) {
  auto array = ArrayAt(a, 0);
  if (!array) return NullValue();
  const auto size = static_cast<std::int64_t>(array->size());
  auto place = [&](std::size_t index) {
    const std::int64_t at = std::clamp(a.Integer(index), -size, size);
    return at < 0 ? at + size : at;
  };
  json::array out;
  for (std::int64_t i = place(1); i < place(2); ++i)
    out.push_back((*array)[static_cast<std::size_t>(i)]);
  return Value(json::serialize(out));
}

Result<Value> ArraySort(const Arguments& a) {
  auto array = ArrayAt(a, 0);
  if (!array) return NullValue();
  // What is compared is made once for each element, since an object is compared by its text.
  std::vector<std::pair<Value, std::size_t>> keys;
  for (std::size_t i = 0; i < array->size(); ++i) keys.emplace_back(FromJson((*array)[i]), i);
  std::stable_sort(keys.begin(), keys.end(), [](const auto& x, const auto& y) {
    return CompareValues(x.first, y.first) < 0;
  });
  json::array sorted;
  for (const auto& [key, index] : keys) sorted.push_back(std::move((*array)[index]));
  return Value(json::serialize(sorted));
}

Result<Value> ArrayToString(const Arguments& a) {
  auto array = ArrayAt(a, 0);
  if (!array) return NullValue();
  std::string out;
  bool first = true;
  for (const json::value& value : *array) {
    if (!first) out += a.Text(1);
    first = false;
    if (out.size() > kTextBytesMax) {
      return Fail(ErrorCode::kLimitExceeded,
                  "100078 (22000): String is too long and would be truncated");
    }
    out += value.is_string() ? std::string(View(value.get_string())) : json::serialize(value);
  }
  return Value(std::move(out));
}

Result<Value> ToArray(const Arguments& a) {
  json::value value = JsonAt(a, 0);
  if (value.is_array()) return FromJson(value);
  return Value(json::serialize(json::array{std::move(value)}));
}

Result<Value> ObjectKeys(const Arguments& a) {
  json::value value = JsonAt(a, 0);
  if (!value.is_object()) return NullValue();
  json::array keys;
  for (const auto& member : value.get_object()) keys.push_back(json::value(member.key()));
  return Value(json::serialize(keys));
}

Result<Value> TypeName(const Arguments& a) {
  const json::value value = JsonAt(a, 0);
  switch (value.kind()) {
    case json::kind::object:
      return Value(std::string("OBJECT"));
    case json::kind::array:
      return Value(std::string("ARRAY"));
    case json::kind::string:
      return Value(std::string("VARCHAR"));
    case json::kind::double_:
      return Value(std::string("DECIMAL"));
    default:
      return Value(std::string("INTEGER"));
  }
}

Result<Value> ToJsonText(const Arguments& a) {
  return Value(json::serialize(TaggedAt(a, 0)));
}

// What FLATTEN walks: an array or object, else nothing.
Result<Value> Flat(const Arguments& a) {
  const json::value value = JsonAt(a, 0);
  return value.is_structured() ? FromJson(value) : Value(std::string("[]"));
}

Result<Value> Range(const Arguments& a) {
  const std::int64_t count = a.Integer(0);
  if (count < 0 || count > kRangeMax) {
    return Fail(ErrorCode::kLimitExceeded,
                fmt::format("GENERATOR gives at most {} rows.", kRangeMax));
  }
  std::string out = "[";
  for (std::int64_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + std::to_string(i);
  return Value(out + "]");
}

// One text for several values, different when they differ.
Result<Value> Tuple(const Arguments& a) {
  json::array array;
  for (std::size_t i = 0; i < a.size(); ++i) array.push_back(ToJson('t', a.At(i)));
  return Value(json::serialize(array));
}

constexpr Function kJsonFunctions[] = {
    {"g$get", Get, 2, kMany},
    {"g$get_path", GetPath, 2, 2},
    {"g$parse_json", Parse, 1, 1},
    {"g$try_parse_json", TryParse, 1, 1},
    {"g$object", Object, 0, kMany, NullHandling::kPassToBody},
    {"g$object_with_nulls", ObjectWithNulls, 0, kMany, NullHandling::kPassToBody},
    {"g$array", Array, 0, kMany, NullHandling::kPassToBody},
    {"g$array_size", ArraySize, 1, 1},
    {"g$array_contains", ArrayContains, 4, 4},
    {"g$array_append", ArrayAppend, 4, 4},
    {"g$array_cat", ArrayCat, 2, 2},
    {"g$array_distinct", ArrayDistinct, 1, 1},
    {"g$array_slice", ArraySlice, 3, 3},
    {"g$array_sort", ArraySort, 1, 1},
    {"g$array_to_string", ArrayToString, 2, 2},
    {"g$to_array", ToArray, 1, 1},
    {"g$object_keys", ObjectKeys, 1, 1},
    {"g$typeof", TypeName, 1, 1},
    {"g$to_json", ToJsonText, 2, 2},
    {"g$flat", Flat, 1, 1},
    {"g$range", Range, 1, 1},
    {"g$tuple", Tuple, 1, kMany},
};

}  // namespace

std::span<const Function> JsonFunctions() {
  return kJsonFunctions;
}

}  // namespace viv::engine::guest_sql
