#include "cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace viv::cli {
namespace {

constexpr std::size_t kComparedMax = 64;  // a longer word is no typing error

// Insertions, deletions, changes and swaps of neighbours that lead from one to the other.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

const CLI::App* DeepestParsed(const CLI::App& app) {
  const CLI::App* at = &app;
  for (auto parsed = at->get_subcommands(); !parsed.empty(); parsed = at->get_subcommands())
    at = parsed.front();
  return at;
}

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); });
}

std::string FullName(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : FullName(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string Suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::string near = Nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string WhatIsUnknown(const CLI::App& at, const std::string& word) {
  if (word.starts_with("-"))
    return fmt::format("'{}' has no option '{}'{}", FullName(at), word,
                       Suggestion(word.substr(0, word.find('=')), FlagsOf(at)));
  std::vector<std::string> known;
  for (const CLI::App* command : CommandsOf(at)) known.push_back(command->get_name());
  if (known.empty()) return fmt::format("'{}' takes no '{}' here", FullName(at), word);
  return fmt::format("'{}' has no command '{}'{}", FullName(at), word, Suggestion(word, known));
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kComparedMax) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(ToLower(word), candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty()) return nearest;
  for (const std::string& candidate : known)  // the beginning of a longer word
    if (word.size() >= 2 && candidate.starts_with(word)) return candidate;
  return "";
}

int ExplainParseError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = *DeepestParsed(app);
  if (error.get_exit_code() == 0) return app.exit(error);  // help or version was requested
  std::string problem = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    std::vector<std::string> words = at.remaining();
    if (words.empty()) words = app.remaining(true);
    if (!words.empty()) problem = WhatIsUnknown(at, words.front());
  }
  fmt::print(stderr, "viv: {}\n`{} --help` lists the commands and options.\n", problem,
             FullName(at));
  return kUsageError;
}

int ShowHelpOfGroup(const CLI::App& app) {
  const CLI::App& at = *DeepestParsed(app);
  if (CommandsOf(at).empty()) return -1;
  fmt::print("{}", at.help());
  return &at == &app ? 0 : kUsageError;
}

}  // namespace viv::cli
