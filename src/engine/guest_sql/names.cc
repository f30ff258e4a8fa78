#include "engine/guest_sql/names.h"

namespace viv::engine::guest_sql {
namespace {

bool IsPlain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void AppendEscaped(std::string& out, std::string_view part) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (char c : part) {
    if (IsPlain(c)) {
      out += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    out += '~';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += c;
    out += c;
  }
  return out += quote;
}

}  // namespace

std::string PhysicalName(const ObjectName& name) {
  std::string out = "g$";
  AppendEscaped(out, name.database);
  out += '$';
  AppendEscaped(out, name.schema);
  out += '$';
  AppendEscaped(out, name.name);
  return out;
}

std::string SqlName(std::string_view name) {
  return Quoted(name, '`');
}

std::string SqlText(std::string_view text) {
  return Quoted(text, '\'');
}

std::string DisplayName(std::string_view name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  for (char c : name) plain = plain && (IsPlain(c) || c == '$');
  return plain ? std::string(name) : Quoted(name, '"');
}

std::string DisplayName(const ObjectName& name) {
  std::string out;
  if (!name.database.empty()) out += DisplayName(name.database) + ".";
  if (!name.schema.empty()) out += DisplayName(name.schema) + ".";
  return out + DisplayName(name.name);
}

std::string FoldName(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

}  // namespace viv::engine::guest_sql
