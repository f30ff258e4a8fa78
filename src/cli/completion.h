#pragma once
// viv completion SHELL: a script for bash, zsh or fish that completes commands, options and the
// values of those that know theirs; made out of the commands there are.

#include <string>

#include "base/result.h"

namespace CLI {
class App;
}

namespace viv::cli {

Result<std::string> CompletionScript(const CLI::App& app, const std::string& shell);

}  // namespace viv::cli
