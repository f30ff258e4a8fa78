#pragma once
// viv ls: the boxes and worlds of the key's account.

#include <string>

#include "cli/remote.h"

namespace viv::cli {

struct ListOptions {
  std::string app;  // worlds of this app only; empty: all
  std::size_t limit = 100;
};
int ListAll(const Remote& remote, const ListOptions& options);
int ListWorlds(const Remote& remote, const ListOptions& options);

}  // namespace viv::cli
