#pragma once
// Templates from the command line: what there is, building more, removing them.

#include <string>
#include <vector>

#include "cli/remote.h"

namespace viv::cli {

struct TemplateSource {
  std::string name;
  std::vector<std::string> from;  // "debian", "oci-archive FILE" or "oci-layout FOLDER"
  std::string suite;
  std::string mirror;
  std::vector<std::string> packages;
};

int ListTemplates(const Remote& remote);
int BuildTemplate(const Remote& remote, const TemplateSource& source);
int RemoveTemplate(const Remote& remote, const std::string& name);

}  // namespace viv::cli
