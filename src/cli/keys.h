#pragma once
// viv key create|list|revoke

#include <string>

#include "cli/remote.h"

namespace viv::cli {

int CreateKey(const Remote& remote, const std::string& name);
int ListKeys(const Remote& remote);
int RevokeKey(const Remote& remote, const std::string& id);

}  // namespace viv::cli
