#include "tools/code_runner/languages.h"

#include "base/text.h"
#include "tools/kit/run.h"

namespace viv::tools::code_runner {
namespace {

constexpr Language kLanguages[] = {
    {"javascript", "node", "js"},
    {"php", "php", "php"},
    {"python", "python -u", "python"},
    {"perl", "perl", "perl"},
    {"perl6", "perl6", "perl6"},
    {"ruby", "ruby", "ruby"},
    {"go", "go run", "go"},
    {"lua", "lua", "lua"},
    {"groovy", "groovy", "groovy"},
    {"powershell", "powershell -ExecutionPolicy ByPass -File", "ps1"},
    {"bat", "cmd /c", "bat"},
    {"shellscript", "bash", "shellscript"},
    {"fsharp", "fsi", "fsharp"},
    {"csharp", "scriptcs", "csharp"},
    {"vbscript", "cscript //Nologo", "vbscript"},
    {"typescript", "ts-node", "ts"},
    {"coffeescript", "coffee", "coffeescript"},
    {"scala", "scala", "scala"},
    {"swift", "swift", "swift"},
    {"julia", "julia", "julia"},
    {"crystal", "crystal", "crystal"},
    {"ocaml", "ocaml", "ocaml"},
    {"r", "Rscript", "r"},
    {"applescript", "osascript", "applescript"},
    {"clojure", "lein exec", "clojure"},
    {"racket", "racket", "racket"},
    {"scheme", "csi -script", "scheme"},
    {"ahk", "autohotkey", "ahk"},
    {"autoit", "autoit3", "autoit"},
    {"dart", "dart", "dart"},
    {"haskell", "runhaskell", "haskell"},
    {"nim", "nim compile --verbosity:0 --hints:off --run", "nim"},
    {"lisp", "sbcl --script", "lisp"},
    {"kit", "kitc --run", "kit"},
    {"v", "v run", "v"},
    {"sass", "sass --style expanded", "sass"},
    {"scss", "scss --style expanded", "scss"},
};

}  // namespace

std::span<const Language> Languages() {
  return kLanguages;
}

const Language* FindLanguage(std::string_view id) {
  for (const Language& language : kLanguages)
    if (language.id == id) return &language;
  return nullptr;
}

std::vector<std::string> CommandOf(const Language& language) {
  std::vector<std::string> words;
  for (std::string_view word : Split(language.command, ' ')) words.emplace_back(word);
  if (words.front() == "python" && FindProgram("python").empty()) words.front() = "python3";
  return words;
}

bool IsThere(const Language& language) {
  return !FindProgram(CommandOf(language).front()).empty();
}

std::string LanguagesThere() {
  std::string text;
  for (const Language& language : kLanguages) {
    if (!IsThere(language)) continue;
    if (!text.empty()) text += ", ";
    text += language.id;
  }
  return text;
}

}  // namespace viv::tools::code_runner
