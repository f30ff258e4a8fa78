#include "dialects/klavis/validate.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace viv::klavis {
namespace {

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

json::array At(std::string_view where, std::string_view name) {
  return json::array{json::string(where), json::string(name)};
}

}  // namespace

void Validator::Add(json::array location,
                    std::string type,
                    std::string message,
                    json::value input,
                    json::object context) {
  problems_.push_back({std::move(location), std::move(message), std::move(type), std::move(input),
                       std::move(context)});
}

void Validator::AddChoice(json::array location,
                          const std::vector<std::string>& choices,
                          json::value input) {
  std::vector<std::string> quoted;
  for (const std::string& choice : choices) quoted.push_back("'" + choice + "'");
  std::string expected = JoinWithOr(quoted);
  Add(std::move(location), "enum", "Input should be " + expected, std::move(input),
      {{"expected", expected}});
}

json::value Validator::Body(const http::Request& request) {
  if (Trim(request.body).empty()) return nullptr;
  auto body = ParseJson(request.body);
  if (!body) {
    // "invalid JSON at byte N: …"
    std::size_t digits = body.error().message.find_first_of("0123456789");
    std::int64_t position = digits == std::string::npos
                                ? 0
                                : std::strtoll(body.error().message.c_str() + digits, nullptr, 10);
    std::size_t colon = body.error().message.rfind(": ");
    std::string reason = body.error().message.substr(colon == std::string::npos ? 0 : colon + 2);
    Add({json::string("body"), position}, "json_invalid", "JSON decode error", json::object(),
        {{"error", reason}});
    return nullptr;
  }
  return std::move(*body);
}

std::optional<std::string> Validator::Text(const json::value& body, std::string_view name) {
  const json::value* value = Find(body, name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_string()) return std::string(value->get_string());
  Add(At("body", name), "string_type", "Input should be a valid string", *value);
  return std::nullopt;
}

std::optional<std::string> Validator::Choice(const json::value& body,
                                             std::string_view name,
                                             const std::vector<std::string>& choices) {
  const json::value* value = Find(body, name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  for (const std::string& choice : choices) {
    if (value->is_string() && View(value->get_string()) == choice) return choice;
  }
  AddChoice(At("body", name), choices, *value);
  return std::nullopt;
}

std::optional<std::int64_t> Validator::Integer(const json::value& body,
                                               std::string_view name,
                                               std::int64_t least,
                                               std::int64_t most) {
  const json::value* value = Find(body, name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  std::optional<std::int64_t> number;
  if (value->is_int64()) {
    number = value->get_int64();
  } else if (value->is_double() && std::trunc(value->get_double()) == value->get_double() &&
             std::abs(value->get_double()) < 9e15) {
    number = static_cast<std::int64_t>(value->get_double());
  } else if (value->is_double()) {
    Add(At("body", name), "int_from_float",
        "Input should be a valid integer, got a number with a fractional part", *value);
    return std::nullopt;
  } else if (value->is_string()) {
    number = ParseInteger(View(value->get_string()));
    if (!number) {
      Add(At("body", name), "int_parsing",
          "Input should be a valid integer, unable to parse string as an integer", *value);
      return std::nullopt;
    }
  }
  if (!number) {
    Add(At("body", name), "int_type", "Input should be a valid integer", *value);
    return std::nullopt;
  }
  if (*number < least) {
    Add(At("body", name), "greater_than_equal",
        "Input should be greater than or equal to " + std::to_string(least), *value,
        {{"ge", least}});
    return std::nullopt;
  }
  if (*number > most) {
    Add(At("body", name), "less_than_equal",
        "Input should be less than or equal to " + std::to_string(most), *value, {{"le", most}});
    return std::nullopt;
  }
  return number;
}

// An object (the older form), a list of strings, or `tag` alone: kept in the shape it was given.
json::value Validator::Tags(const json::value& body) {
  const json::value* tags = Find(body, "tags");
  json::value kept;
  if (tags != nullptr && tags->is_object()) kept = *tags;
  if (const json::array* list = tags == nullptr ? nullptr : tags->if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if ((*list)[i].is_string()) continue;
      json::array location = At("body", "tags");
      location.push_back(static_cast<std::int64_t>(i));
      Add(std::move(location), "string_type", "Input should be a valid string", (*list)[i]);
    }
    kept = *list;
  }
  if (tags != nullptr && kept.is_null() && !tags->is_null()) {
    Add(At("body", "tags"), "dict_type", "Input should be a valid dictionary", *tags);
  }
  if (auto tag = Text(body, "tag")) {
    if (kept.is_null()) kept = json::array();
    if (kept.is_array()) kept.get_array().emplace_back(*tag);
    if (kept.is_object()) kept.get_object()["tag"] = *tag;
  }
  return kept;
}

bool Validator::QueryBoolean(const http::Request& request, std::string_view name, bool fallback) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return fallback;
  std::string lower = ToLower(*text);
  for (std::string_view yes : {"true", "1", "yes", "on", "t", "y"}) {
    if (lower == yes) return true;
  }
  for (std::string_view no : {"false", "0", "no", "off", "f", "n"}) {
    if (lower == no) return false;
  }
  Add(At("query", name), "bool_parsing",
      "Input should be a valid boolean, unable to interpret input", json::string(*text));
  return fallback;
}

std::optional<std::int64_t> Validator::QueryInteger(const http::Request& request,
                                                    std::string_view name,
                                                    std::int64_t least) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return std::nullopt;
  auto number = ParseInteger(*text);
  if (!number) {
    Add(At("query", name), "int_parsing",
        "Input should be a valid integer, unable to parse string as an integer",
        json::string(*text));
  } else if (*number < least) {
    Add(At("query", name), "greater_than_equal",
        "Input should be greater than or equal to " + std::to_string(least), json::string(*text),
        {{"ge", least}});
    return std::nullopt;
  }
  return number;
}

}  // namespace viv::klavis
