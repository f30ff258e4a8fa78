#include "tools/excel/python_text.h"

#include <fmt/format.h>

#include "tools/kit/tool_result.h"

namespace viv::tools::excel {
namespace {

// The code point at a place in valid UTF-8; moves the place behind it.
char32_t NextCodePoint(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = length == 1 ? lead : lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length && at + i < text.size(); ++i)
    code = (code << 6) | (byte(at + i) & 0x3F);
  at += length;
  return code;
}

void AppendAsciiJson(std::string& out, std::string_view raw) {
  const std::string text = AsUtf8(std::string(raw));
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = NextCodePoint(text, at);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += static_cast<char>(code);
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\r') {
      out += "\\r";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\b') {
      out += "\\b";
    } else if (code == '\f') {
      out += "\\f";
    } else if (code >= 0x20 && code < 0x7F) {
      out += static_cast<char>(code);
    } else if (code < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      const unsigned rest = static_cast<unsigned>(code) - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
  }
  out += '"';
}

void AppendPythonJson(std::string& out, const json::value& value, std::size_t indent) {
  const auto new_line = [&](std::size_t depth) { out += '\n' + std::string(depth * 2, ' '); };
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    for (const auto& member : value.get_object()) {
      if (out.back() != '{') out += ',';
      new_line(indent + 1);
      AppendAsciiJson(out, member.key());
      out += ": ";
      AppendPythonJson(out, member.value(), indent + 1);
    }
    new_line(indent);
    out += '}';
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    bool first = true;
    for (const json::value& item : value.get_array()) {
      if (!first) out += ',';
      first = false;
      new_line(indent + 1);
      AppendPythonJson(out, item, indent + 1);
    }
    new_line(indent);
    out += ']';
  } else if (value.is_string()) {
    AppendAsciiJson(out, View(value.get_string()));
  } else if (value.is_double()) {
    out += PythonRepr(value);
  } else {
    out += WriteJson(value);
  }
}

}  // namespace

std::string PythonText(const json::value& value) {
  return value.is_string() ? std::string(View(value.get_string())) : PythonRepr(value);
}

std::string PythonJson(const json::value& value) {
  std::string out;
  AppendPythonJson(out, value, 0);
  return out;
}

}  // namespace viv::tools::excel
