#include "tools/kit/arguments.h"

#include <cmath>

namespace viv::tools {
namespace {

std::optional<std::int64_t> AsInteger(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  // Boost keeps an integer as unsigned only when it is too large to be signed.
  // Beyond 2^53 a double does not mean one integer.
  if (value.is_double() && std::fabs(value.get_double()) <= 9007199254740992.0)
    return static_cast<std::int64_t>(value.get_double());
  return std::nullopt;
}

}  // namespace

const json::value* Arguments::Find(std::string_view name) const {
  const json::value* value = values_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> Arguments::OptionalText(std::string_view name) const {
  const json::value* value = Find(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::string Arguments::Text(std::string_view name, std::string_view fallback) const {
  const json::value* value = Find(name);
  return std::string(value != nullptr && value->is_string() ? View(value->get_string()) : fallback);
}

std::optional<std::int64_t> Arguments::OptionalInteger(std::string_view name) const {
  const json::value* value = Find(name);
  return value == nullptr ? std::nullopt : AsInteger(*value);
}

std::int64_t Arguments::Integer(std::string_view name, std::int64_t fallback) const {
  return OptionalInteger(name).value_or(fallback);
}

double Arguments::Number(std::string_view name, double fallback) const {
  const json::value* value = Find(name);
  return value != nullptr && value->is_number() ? value->to_number<double>() : fallback;
}

bool Arguments::Flag(std::string_view name, bool fallback) const {
  const json::value* value = Find(name);
  return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

std::vector<std::string> Arguments::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  for (const json::value& item : List(name))
    if (item.is_string()) texts.emplace_back(item.get_string());
  return texts;
}

const json::array& Arguments::List(std::string_view name) const {
  static const json::array kNone;
  const json::value* value = Find(name);
  return value != nullptr && value->is_array() ? value->get_array() : kNone;
}

}  // namespace viv::tools
