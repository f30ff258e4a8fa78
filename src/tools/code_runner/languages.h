#pragma once
// The languages that code can be written in, and the program that runs each. The list is that of
// the tool's schema; whether the program is there depends on the box.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::code_runner {

struct Language {
  std::string_view id;
  std::string_view command;    // program and its arguments; the file comes last
  std::string_view extension;  // of the file
};

std::span<const Language> Languages();
const Language* FindLanguage(std::string_view id);  // nullptr: none

// The words of the command; the program is the one that is there, for "python" may be "python3".
std::vector<std::string> CommandOf(const Language& language);
bool IsThere(const Language& language);
std::string LanguagesThere();  // "javascript, python, shellscript"

}  // namespace viv::tools::code_runner
