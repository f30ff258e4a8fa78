#pragma once
// How clients name templates and snapshots: "[namespace/]alias[:tag]", or an id in the alias's
// place. The namespace is the caller's team, the tag "default" is the same as none.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "boxes/boxes.h"

namespace viv::e2b {

struct TemplateName {
  std::string name_space;  // empty: none given
  std::string alias;       // or an id
  std::string tag;         // empty: none given, or "default"

  // As the domain knows it: "alias" or "alias:tag".
  std::string Plain() const { return tag.empty() ? alias : alias + ':' + tag; }
};

// Lower-cased; kInvalidArgument says which part is wrong.
Result<TemplateName> ParseTemplateName(std::string_view text);

// The same as text for the domain; kNotFound for another team's namespace.
Result<std::string> PlainTemplateName(std::string_view account_id, std::string_view text);

// Whether the template carries this id or name.
bool IsNamed(const boxes::TemplateInfo& info, const std::string& plain_name);

// Of all that the account can start from; kNotFound when there is none.
Result<boxes::TemplateInfo> FindTemplate(const boxes::Boxes& boxes,
                                         const std::string& account_id,
                                         std::string_view text);

}  // namespace viv::e2b
