#pragma once
// Runs a command or a terminal in a box, connected to the local terminal.

#include <string>
#include <vector>

#include "cli/boxes.h"
#include "cli/remote.h"

namespace viv::cli {

struct ExecOptions {
  std::vector<std::string> command;
  std::string user;                    // empty: the template's
  std::string cwd;                     // empty: the user's home
  std::vector<std::string> variables;  // NAME=VALUE
};

// Ends with the command's exit code.
int Exec(const Remote& remote, const std::string& id, const ExecOptions& options);
// In box `id`, or in a new one that is removed when the terminal ends.
int Shell(const Remote& remote,
          const std::string& id,
          const NewBox& fresh,
          const ExecOptions& options);

}  // namespace viv::cli
