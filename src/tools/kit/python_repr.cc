#include "tools/kit/python_repr.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace viv::tools {
namespace {

std::string ReprNumber(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 400> buffer{};
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  const std::string scientific(
      begin, std::to_chars(begin, limit, number, std::chars_format::scientific).ptr);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  std::string fixed(begin, std::to_chars(begin, limit, number, std::chars_format::fixed).ptr);
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  return fixed;
}

void AppendValue(std::string& out, const json::value& value) {
  if (const json::array* items = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i > 0) out += ", ";
      AppendValue(out, (*items)[i]);
    }
    out += ']';
  } else if (const json::object* members = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& member : *members) {
      if (!first) out += ", ";
      first = false;
      out += PythonRepr(std::string_view(member.key().data(), member.key().size())) + ": ";
      AppendValue(out, member.value());
    }
    out += '}';
  } else if (value.is_null()) {
    out += "None";
  } else if (value.is_bool()) {
    out += value.get_bool() ? "True" : "False";
  } else if (value.is_string()) {
    out += PythonRepr(View(value.get_string()));
  } else if (value.is_double()) {
    out += ReprNumber(value.get_double());
  } else {
    out += WriteJson(value);
  }
}

}  // namespace

std::string PythonRepr(std::string_view text) {
  const bool single = text.find('\'') == text.npos || text.find('"') != text.npos;
  const char quote = single ? '\'' : '"';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      (out += '\\') += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
      out += escape.data();
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string PythonRepr(const json::value& value) {
  std::string out;
  AppendValue(out, value);
  return out;
}

std::string_view PythonType(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "NoneType";
    case json::kind::bool_:
      return "bool";
    case json::kind::int64:
    case json::kind::uint64:
      return "int";
    case json::kind::double_:
      return "float";
    case json::kind::string:
      return "str";
    case json::kind::array:
      return "list";
    case json::kind::object:
      return "dict";
  }
  return "object";
}

}  // namespace viv::tools
