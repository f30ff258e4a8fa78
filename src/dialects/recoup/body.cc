#include "dialects/recoup/body.h"

#include <algorithm>
#include <cctype>

#include "dialects/recoup/errors.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kUrlBytesMax = 2048;

json::value ParsedBody(const http::Request& request) {
  auto parsed = ParseJson(request.body);
  if (!parsed) return json::object();
  return *std::move(parsed);
}

bool IsSchemeLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

bool IsVisible(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != 0x7f;
}

}  // namespace

BodyFields::BodyFields(const http::Request& request) : fields_(ParsedBody(request), "") {}

http::Response BodyFields::failure() const {
  return InvalidField(fields_.field(), fields_.error().message);
}

std::optional<std::string> BodyFields::Text(std::string_view name) {
  std::optional<std::string> text = fields_.Text(name);
  if (text && text->empty()) Refuse(name, "at least one character is expected");
  return ok() ? text : std::nullopt;
}

std::optional<std::string> BodyFields::Url(std::string_view name) {
  std::optional<std::string> text = fields_.Text(name);
  if (text && !IsUrl(*text)) Refuse(name, "a URL is expected");
  return ok() ? text : std::nullopt;
}

std::optional<std::vector<std::string>> BodyFields::List(std::string_view name) {
  if (fields_.Array(name) == nullptr) return std::nullopt;
  return fields_.List(name);
}

void BodyFields::Refuse(std::string_view name, std::string message) {
  fields_.RefuseField(name, std::move(message));
}

bool IsUrl(std::string_view text) {
  if (text.empty() || text.size() > kUrlBytesMax) return false;
  std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0 || text.size() == end + 3) return false;
  std::string_view scheme = text.substr(0, end);
  char host = text[end + 3];
  return std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(scheme.begin(), scheme.end(), IsSchemeLetter) &&
         std::all_of(text.begin(), text.end(), IsVisible) && host != '/' && host != '?' &&
         host != '#';
}

}  // namespace viv::recoup
