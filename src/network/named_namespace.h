#pragma once
// One network namespace kept alive by a bind mount DIRECTORY/NAME, without any process in it.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

// The folder of such mounts, itself a private mount so that none spreads to other mount namespaces.
// Files that a reboot left without their mount are removed.
Status OpenNamespaceFolder(const std::string& directory);
void CloseNamespaceFolder(
    const std::string& directory);  // unmounts it when nothing is kept any more

Result<UniqueFd> MakeNamedNamespace(const std::string& directory,
                                    const std::string& name);  // wired
Result<UniqueFd> FindNamedNamespace(const std::string& directory, std::string_view name);
void RemoveNamedNamespace(const std::string& directory, const std::string& name);
std::vector<std::string> ListNamedNamespaces(const std::string& directory);

}  // namespace viv::network
