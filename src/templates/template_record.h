#pragma once
// A template's description on disk: one JSON file each, replaced as a whole.

#include <string>
#include <string_view>

#include "base/result.h"
#include "templates/templates.h"

namespace viv::templates {

struct TemplateRecord {
  Template made;
  std::string folder;       // contains its own layers; removed with the template
  std::string fingerprint;  // of what it was made from; `base` is made anew when that changes
};

// 1 to 128 of [a-z0-9._-], beginning with a letter or digit.
bool IsTemplateName(std::string_view name);

std::string RandomTemplateId();
std::string TemplateIdOfName(std::string_view name);  // always the same, for built-in ones

std::string WriteRecord(const TemplateRecord& record);
Result<TemplateRecord> ReadRecord(std::string_view text);

Status SaveFile(const std::string& path,
                std::string_view text);  // atomically, on disk when it returns

}  // namespace viv::templates
