#include "dialects/e2b/template_name.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kNameBytesMax = 128;
constexpr std::string_view kDefaultTag = "default";

bool IsWord(std::string_view text, std::string_view extra) {
  if (text.empty() || text.size() > kNameBytesMax) return false;
  return std::all_of(text.begin(), text.end(), [extra](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           extra.find(c) != std::string_view::npos;
  });
}

}  // namespace

Result<TemplateName> ParseTemplateName(std::string_view text) {
  auto wrong = [&](std::string_view what) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "Invalid template name '" + Printable(text, kNameBytesMax) + "': " + std::string(what));
  };
  std::string lower = ToLower(Trim(text));
  std::string_view rest = lower;
  TemplateName name;
  if (std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    name.name_space = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (!IsWord(name.name_space, "-_"))
      return wrong("the namespace has only letters, digits, '-' and '_'");
  }
  if (std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    name.tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!IsWord(name.tag, "-_.") || IsUuid(name.tag))
      return wrong("a tag has only letters, digits, '-', '_' and '.', and is no UUID");
    if (name.tag == kDefaultTag) name.tag.clear();
  }
  if (!IsWord(rest, "-_")) return wrong("it has only letters, digits, '-' and '_'");
  name.alias = rest;
  return name;
}

Result<std::string> PlainTemplateName(std::string_view account_id, std::string_view text) {
  ASSIGN_OR_RETURN(TemplateName name, ParseTemplateName(text));
  if (!name.name_space.empty() && name.name_space != ToLower(account_id)) {
    return Fail(ErrorCode::kNotFound, "template '" + name.name_space + '/' + name.Plain() +
                                          "' not found: its namespace is not your team");
  }
  return name.Plain();
}

bool IsNamed(const boxes::TemplateInfo& info, const std::string& plain_name) {
  if (info.id == plain_name) return true;
  return std::any_of(info.names.begin(), info.names.end(), [&](const std::string& given) {
    auto name = ParseTemplateName(given);
    return name && name->Plain() == plain_name;
  });
}

Result<boxes::TemplateInfo> FindTemplate(const boxes::Boxes& boxes,
                                         const std::string& account_id,
                                         std::string_view text) {
  ASSIGN_OR_RETURN(std::string name, PlainTemplateName(account_id, text));
  for (boxes::TemplateInfo& info : boxes.ListTemplates(account_id)) {
    if (IsNamed(info, name)) return std::move(info);
  }
  return Fail(ErrorCode::kNotFound, "template '" + name + "' not found");
}

}  // namespace viv::e2b
