#include "tools/desktop_commander/process_state.h"

#include <re2/re2.h>

#include "base/text.h"

namespace viv::tools::commander {
namespace {

constexpr std::string_view kPrompts[] = {">>> ",    "... ",    "> ",  "+ ",    "julia> ",
                                         "$ ",      "# ",      "% ",  "bash-", "zsh-",
                                         "mysql> ", "    -> ", "=# ", "-# ",   "redis> "};

re2::StringPiece AsPiece(std::string_view text) {
  return {text.data(), text.size()};
}

// The last `count` lines.
std::string_view LastLines(std::string_view text, int count) {
  std::size_t from = text.size();
  for (int i = 0; i < count; ++i) {
    if (from == 0) return text;
    from = text.rfind('\n', from - 1);
    if (from == std::string_view::npos) return text;
  }
  return text.substr(from + 1);
}

bool SaysThatItEnded(std::string_view output) {
  static const re2::RE2 kEnded(
      R"((?i)Process finished|Command completed|\[Process completed\]|Program terminated|Exit code:)");
  static const re2::RE2 kFailed(
      R"((?im)Error:|Exception:|Traceback|SyntaxError|NameError|TypeError|ValueError|ReferenceError|Uncaught|at Object\.|^\s*\^)");
  return re2::RE2::PartialMatch(AsPiece(output), kEnded) ||
         re2::RE2::PartialMatch(AsPiece(LastLines(output, 3)), kFailed);
}

}  // namespace

ProcessState DetectState(std::string_view output) {
  ProcessState state;
  if (Trim(output).empty()) return state;
  const std::string_view last = LastLines(output, 1);
  for (std::string_view prompt : kPrompts) {
    if (last.find(prompt) == std::string_view::npos) continue;
    state.waiting = true;
    state.prompt = Trim(prompt);
    return state;
  }
  state.finished = SaysThatItEnded(output);
  return state;
}

std::string DescribeState(const ProcessState& state, int pid) {
  const std::string process = "Process " + std::to_string(pid);
  if (state.waiting)
    return process + " is waiting for input" +
           (state.prompt.empty() ? "" : " (detected: \"" + state.prompt + "\")");
  return process + (state.finished ? " has finished execution" : " is running");
}

std::string WithoutPrompts(std::string_view output, std::string_view input) {
  std::string cleaned(output);
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  // The first line that repeats a line of the input; long inputs are not echoed line by line.
  int lines = 0;
  for (std::string_view line : Split(input, '\n')) {
    line = Trim(line);
    if (line.empty() || line.size() > 10'000 || ++lines > 100) continue;
    const re2::RE2 echo("(?m)^" + re2::RE2::QuoteMeta(AsPiece(line)) + "\\s*", quiet);
    if (echo.ok()) re2::RE2::Replace(&cleaned, echo, "");
  }
  static const re2::RE2 kAtLineStarts[] = {re2::RE2(R"((?m)^>>>\s*)"), re2::RE2(R"((?m)^>\s*)"),
                                           re2::RE2(R"((?m)^\.{3}\s*)"), re2::RE2(R"((?m)^\+\s*)")};
  for (const re2::RE2& prompt : kAtLineStarts) re2::RE2::GlobalReplace(&cleaned, prompt, "");
  return std::string(Trim(cleaned));
}

}  // namespace viv::tools::commander
