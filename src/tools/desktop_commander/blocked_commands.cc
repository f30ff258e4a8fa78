#include "tools/desktop_commander/blocked_commands.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace viv::tools::commander {
namespace {

constexpr int kNestingMax = 16;

bool IsBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// NAME=value before a command sets a variable for it.
bool IsAssignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals), [](char c) {
           return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
         });
}

std::string_view FirstWord(std::string_view part) {
  for (;;) {
    while (!part.empty() && IsBlank(part.front())) part.remove_prefix(1);
    const auto end = std::ranges::find_if(part, IsBlank);
    const std::string_view word = part.substr(0, static_cast<std::size_t>(end - part.begin()));
    if (!IsAssignment(word)) return word;
    part.remove_prefix(word.size());
  }
}

class CommandFinder {
 public:
  explicit CommandFinder(std::vector<std::string>& commands) : commands_(commands) {}

  void Read(std::string_view line, int depth) {
    std::string part;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\' && i + 1 < line.size()) {
        (part += c) += line[++i];
      } else if (c == '"' || c == '\'') {
        const std::size_t end = QuoteEnd(line, i);
        part += line.substr(i, end - i);
        i = end - 1;
      } else if (c == '(' && depth < kNestingMax) {
        const std::size_t end = ParenthesisEnd(line, i);
        Read(line.substr(i + 1, end - i - 1), depth + 1);
        i = end;
      } else if (c == ';' || c == '|' || c == '&' || c == '\n') {
        Add(part);
        part.clear();
      } else {
        part += c;
      }
    }
    Add(part);
  }

 private:
  static std::size_t QuoteEnd(std::string_view line, std::size_t start) {
    std::size_t i = start + 1;
    for (; i < line.size() && line[i] != line[start]; ++i)
      if (line[i] == '\\' && line[start] == '"') ++i;
    return std::min(i + 1, line.size());
  }

  static std::size_t ParenthesisEnd(std::string_view line, std::size_t start) {
    int open = 0;
    for (std::size_t i = start; i < line.size(); ++i) {
      if (line[i] == '(') ++open;
      if (line[i] == ')' && --open == 0) return i;
    }
    return line.size();
  }

  void Add(std::string_view part) {
    std::string_view word = FirstWord(part);
    if (word.empty() || word.front() == '$') return;
    std::string name = ToLower(word.substr(word.rfind('/') + 1));
    std::erase_if(name, [](char c) { return c == '"' || c == '\'' || c == '\\'; });
    if (!name.empty() && std::ranges::find(commands_, name) == commands_.end())
      commands_.push_back(std::move(name));
  }

  std::vector<std::string>& commands_;
};

}  // namespace

std::vector<std::string> CommandsIn(std::string_view line) {
  std::vector<std::string> commands;
  CommandFinder(commands).Read(line, 0);
  return commands;
}

bool IsBlocked(std::string_view line, const std::vector<std::string>& blocked) {
  return std::ranges::any_of(CommandsIn(line), [&](const std::string& command) {
    return std::ranges::find(blocked, command) != blocked.end();
  });
}

}  // namespace viv::tools::commander
