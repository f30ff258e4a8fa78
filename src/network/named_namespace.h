#pragma once
// A network namespace that a bind mount DIRECTORY/NAME keeps alive without any process in it.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

// Opens the folder of such mounts. It is a private mount itself, so that none propagates to other
// mount namespaces. Files that a reboot left without their mount are removed.
Status OpenNamespaceFolder(const std::string& directory);
// Unmounts the folder if it holds no namespace any more.
void CloseNamespaceFolder(const std::string& directory);

// Makes a namespace and sets it up.
Result<UniqueFd> MakeNamedNamespace(const std::string& directory, const std::string& name);
Result<UniqueFd> FindNamedNamespace(const std::string& directory, std::string_view name);
void RemoveNamedNamespace(const std::string& directory, const std::string& name);
std::vector<std::string> ListNamedNamespaces(const std::string& directory);

}  // namespace viv::network
