#pragma once
// viv key create|list|revoke

#include <string>

#include "cli/remote.h"

namespace viv::cli {

struct NewKey {
  std::string name;
  std::string account;  // by name or id; empty: the one whose key is used
};
int CreateKey(const Remote& remote, const NewKey& key);
int ListKeys(const Remote& remote);
int RevokeKey(const Remote& remote, const std::string& id);

}  // namespace viv::cli
