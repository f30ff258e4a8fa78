#pragma once
// Explains a command line that cannot be parsed: the wrong word, and the one that was probably
// meant.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace viv::cli {

inline constexpr int kUsageError = 2;  // the exit code

// The one of `known` that is a few typing errors away from `word`; empty when none is.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

// Prints help where it was asked for, else what is wrong; gives the exit code.
int ExplainParseError(const CLI::App& app, const CLI::ParseError& error);

// A command that only groups others, given alone, shows its help. The exit code, or -1 when another
// command was given: `viv` alone is a question, `viv key` alone is not finished.
int ShowHelpOfGroup(const CLI::App& app);

}  // namespace viv::cli
