#pragma once
// viv secret set|ls|rm: the secrets of the account, which the gateway puts into requests of boxes.
// A value goes to the server once and is shown by nobody.

#include <optional>
#include <string>
#include <vector>

#include "cli/remote.h"

namespace viv::cli {

struct NewSecret {
  std::string name;
  std::optional<std::string> value;  // none: it is read from standard input
};
int SetSecret(const Remote& remote, NewSecret secret);  // makes it, or gives it a new version
int ListSecrets(const Remote& remote);
int RemoveSecrets(const Remote& remote, const std::vector<std::string>& names);

}  // namespace viv::cli
