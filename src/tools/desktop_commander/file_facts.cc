#include "tools/desktop_commander/file_facts.h"

#include <ctime>

#include "base/text.h"

namespace viv::tools::commander {
namespace {

// How many bytes the character at the start of `rest` has; 0 when it is none of UTF-8.
std::size_t Utf8Length(std::string_view rest) {
  const auto first = static_cast<unsigned char>(rest[0]);
  const std::size_t length = first >= 0xf0 && first <= 0xf7   ? 4
                             : first >= 0xe0 && first <= 0xef ? 3
                             : first >= 0xc0 && first <= 0xdf ? 2
                                                              : 0;
  // A character that the limit cuts in two is none to worry about.
  for (std::size_t i = 1; i < length && i < rest.size(); ++i)
    if ((static_cast<unsigned char>(rest[i]) & 0xc0) != 0x80) return 0;
  return length;
}

bool HasTextMark(std::string_view start) {
  using namespace std::string_view_literals;
  for (std::string_view mark : {"\xef\xbb\xbf"sv, "\xfe\xff"sv, "\xff\xfe"sv, "\0\0\xfe\xff"sv})
    if (start.starts_with(mark)) return true;
  return false;
}

}  // namespace

std::string_view MediaTypeOf(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string_view::npos ? "" : ToLower(path.substr(dot + 1));
  if (ending == "png") return "image/png";
  if (ending == "jpg" || ending == "jpeg") return "image/jpeg";
  if (ending == "gif") return "image/gif";
  if (ending == "webp") return "image/webp";
  return "text/plain";
}

bool IsImageType(std::string_view media_type) {
  return media_type.starts_with("image/");
}

bool LooksBinary(std::string_view start) {
  start = start.substr(0, kBinaryCheckBytes);
  if (start.empty() || HasTextMark(start)) return false;
  if (start.starts_with("%PDF-")) return true;
  std::size_t strange = 0;
  for (std::size_t i = 0; i < start.size();) {
    const auto byte = static_cast<unsigned char>(start[i]);
    if (byte == 0) return true;
    const bool plain = (byte >= 7 && byte <= 14) || (byte >= 32 && byte <= 127);
    const std::size_t length = plain ? 1 : Utf8Length(start.substr(i));
    if (length == 0) ++strange;
    i += length == 0 ? 1 : length;
  }
  return strange * 10 > start.size();
}

std::string JavaScriptDate(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::localtime_r(&time, &parts);
  char text[64], zone[16];
  std::strftime(text, sizeof text, "%a %b %d %Y %H:%M:%S GMT%z", &parts);
  std::strftime(zone, sizeof zone, "%Z", &parts);
  const std::string_view name = zone;
  return std::string(text) + " (" +
         std::string(name == "UTC" || name == "GMT" ? "Coordinated Universal Time" : name) + ")";
}

}  // namespace viv::tools::commander
