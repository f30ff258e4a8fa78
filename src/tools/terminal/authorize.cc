#include "tools/terminal/authorize.h"

#include <algorithm>
#include <filesystem>

#include "tools/terminal/words.h"

namespace viv::tools::terminal {
namespace {

tl::unexpected<Error> Refuse(std::string reason) {
  return Fail(ErrorCode::kPermissionDenied, std::move(reason));
}

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Where a path of the command leads, its links followed as far as it exists.
Result<std::string> PathWithin(const std::string& folder, const std::string& path) {
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::filesystem::path(folder) / path, error);
  if (error) return Refuse("Invalid path '" + path + "': " + error.message());
  std::string text = real.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  if (text != folder && !text.starts_with(folder + "/"))
    return Refuse("Path '" + path + "' is outside of allowed directory: " + folder);
  return text;
}

bool IsUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

bool IsPathByItsForm(std::string_view word) {
  return word == "." ||
         ((word.starts_with("./") || word.starts_with("../") || word.starts_with("/")) &&
          !word.starts_with("//"));
}

// A word may be a path without looking like one (a link, ".."), so one that exists is checked too;
// it is passed on as it was written, for it may as well be a pattern or a name.
Result<std::string> AuthorizeWord(const std::string& folder, const std::string& word) {
  if (word.starts_with("-") || IsUrl(word)) return word;
  std::error_code error;
  const bool exists =
      std::filesystem::exists(std::filesystem::path(folder) / word, error) && !word.empty();
  if (!IsPathByItsForm(word) && !exists) return word;
  ASSIGN_OR_RETURN(std::string real, PathWithin(folder, word));
  return IsPathByItsForm(word) || word.find('/') != std::string::npos ? real : word;
}

Result<std::vector<std::string>> AuthorizeCommand(const Policy& policy,
                                                  const std::string& folder,
                                                  const std::string& command) {
  auto words = SplitWords(command);
  if (!words) return Refuse("Invalid command format: " + words.error().message);
  if (words->empty()) return Refuse("Empty command");
  const std::string& name = words->front();
  if (!std::binary_search(policy.commands.begin(), policy.commands.end(), std::string_view(name)))
    return Refuse("Command '" + name + "' is not allowed");
  for (std::size_t i = 1; i < words->size(); ++i) {
    ASSIGN_OR_RETURN((*words)[i], AuthorizeWord(folder, (*words)[i]));
  }
  return words;
}

// What stands behind "<" or ">" is a file, everything else a command.
Status AuthorizeParts(const Policy& policy, const std::string& folder, const std::string& command) {
  const std::vector<Part> parts = SplitAtOperators(command);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& text = parts[i].text;
    if (parts[i].is_operator) continue;
    const bool is_file = i > 0 && (parts[i - 1].text == ">" || parts[i - 1].text == "<");
    if (!is_file) {
      if (auto admitted = AuthorizeCommand(policy, folder, text); !admitted)
        return Refuse("Invalid command part '" + text + "': " + admitted.error().message);
    } else if (!IsUrl(text)) {
      if (auto path = PathWithin(folder, text); !path)
        return Refuse("Invalid file path '" + text + "': " + path.error().message);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> Authorize(const Policy& policy,
                                           const std::string& folder,
                                           const std::string& command) {
  if (Characters(command) > policy.command_characters_max)
    return Refuse("Command exceeds maximum length of " +
                  std::to_string(policy.command_characters_max));
  const std::string_view found = FirstOperator(command);
  if (found.empty()) return AuthorizeCommand(policy, folder, command);
  if (policy.operators == Operators::kRefused)
    return Refuse("Shell operator '" + std::string(found) +
                  "' is not supported. Set ALLOW_SHELL_OPERATORS=true to enable.");
  RETURN_IF_ERROR(AuthorizeParts(policy, folder, command));
  return std::vector<std::string>{"/bin/sh", "-c", command};
}

}  // namespace viv::tools::terminal
