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
Status OpenKeptFolder(const std::string& directory);
void CloseKeptFolder(const std::string& directory);  // unmounts it when nothing is kept any more

Result<UniqueFd> MakeKept(const std::string& directory, const std::string& name);  // wired
Result<UniqueFd> FindKept(const std::string& directory, std::string_view name);
void RemoveKept(const std::string& directory, const std::string& name);
std::vector<std::string> ListKept(const std::string& directory);

}  // namespace viv::network
