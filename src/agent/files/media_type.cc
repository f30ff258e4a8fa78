#include "agent/files/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::size_t kMediaParametersMax = 32;

bool IsMediaToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
  });
}

// Takes a quoted string off the front; only quotes and backslashes are escaped, for some clients
// send Windows paths as they are.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  std::string value;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return value;
    }
    bool escapes =
        text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escapes) ++at;
    value += text[at];
  }
  return std::nullopt;
}

std::optional<std::string> TakeValue(std::string_view& text) {
  if (text.starts_with('"')) return TakeQuoted(text);
  std::string_view bare = Trim(text.substr(0, text.find(';')));
  text.remove_prefix(std::min(text.find(';'), text.size()));
  if (bare.empty()) return std::nullopt;
  return std::string(bare);
}

// "utf-8''a%20b"
std::optional<std::string> DecodeExtended(std::string_view value) {
  std::size_t first = value.find('\'');
  if (first == std::string_view::npos) return std::nullopt;
  std::size_t second = value.find('\'', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  if (!EqualsIgnoreCase(value.substr(0, first), "utf-8")) return std::nullopt;
  return PercentDecode(value.substr(second + 1));
}

bool AddParameter(MediaType& media, std::string name, std::string value) {
  if (name.ends_with('*')) {
    name.pop_back();
    std::optional<std::string> decoded = DecodeExtended(value);
    if (!decoded) return false;
    media.parameters[name] = *std::move(decoded);
    return true;
  }
  media.parameters.emplace(std::move(name), std::move(value));
  return true;
}

constexpr auto kContentTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/x-icon"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"log", "text/plain; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"py", "text/x-python; charset=utf-8"},
    {"sh", "application/x-sh"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"txt", "text/plain; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"woff2", "font/woff2"},
    {"xml", "text/xml; charset=utf-8"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
});

}  // namespace

std::optional<MediaType> ParseMediaType(std::string_view text) {
  MediaType media;
  media.type = ToLower(Trim(text.substr(0, text.find(';'))));
  if (media.type.empty()) return std::nullopt;
  text.remove_prefix(std::min(text.find(';'), text.size()));
  while (!text.empty()) {
    text = Trim(text.substr(1));  // the semicolon
    if (text.empty()) break;      // some clients end with one
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string name = ToLower(Trim(text.substr(0, equals)));
    text = Trim(text.substr(equals + 1));
    std::optional<std::string> value = TakeValue(text);
    if (!value || !IsMediaToken(name)) return std::nullopt;
    if (!AddParameter(media, std::move(name), *std::move(value))) return std::nullopt;
    if (media.parameters.size() > kMediaParametersMax) return std::nullopt;
    text = Trim(text);
    if (!text.empty() && text[0] != ';') return std::nullopt;
  }
  return media;
}

std::string DispositionOf(std::string_view kind, std::string_view filename) {
  std::string start(kind);
  if (IsMediaToken(filename)) return start + "; filename=" + std::string(filename);
  bool printable =
      std::all_of(filename.begin(), filename.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (!printable) return start + "; filename*=utf-8''" + PercentEncode(filename);
  std::string quoted;
  for (char c : filename) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return start + "; filename=\"" + quoted + "\"";
}

std::string_view ContentTypeOf(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    std::string ending = ToLower(name.substr(dot + 1));
    for (const auto& [known, type] : kContentTypes) {
      if (known == ending) return type;
    }
  }
  return "application/octet-stream";
}

}  // namespace viv::agent
