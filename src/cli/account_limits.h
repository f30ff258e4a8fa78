#pragma once
// viv account limits: the limits and usage of an account.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "cli/remote.h"

namespace CLI {
class App;
}

namespace viv::cli {

// "16GiB", "512M" or "1000": binary units, with or without "iB" or "B".
Result<std::int64_t> ParseByteSize(std::string_view text);

// What the subcommand reads its options into; outlives the parsing.
struct LimitCommandOptions;
std::shared_ptr<LimitCommandOptions> AddLimitCommand(CLI::App& account, Remote& remote, int& code);

}  // namespace viv::cli
