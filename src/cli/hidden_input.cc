#include "cli/hidden_input.h"

#include <fmt/format.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/errno_error.h"

namespace viv::cli {
namespace {

constexpr std::size_t kHiddenBytesMax = 64 << 10;

constexpr char kControlC = 3;

// Disables the terminal's echo while it lives. Ctrl-C ends the line instead of sending a signal,
// which would end the program without restoring the echo, or come just before the read and be lost.
class SilentTerminal {
 public:
  SilentTerminal() {
    ::tcgetattr(STDIN_FILENO, &before_);
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    silent.c_lflag |= ECHONL;
    silent.c_cc[VEOL] = kControlC;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~SilentTerminal() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }
  SilentTerminal(const SilentTerminal&) = delete;
  SilentTerminal& operator=(const SilentTerminal&) = delete;

 private:
  termios before_{};
};

enum class Until { kLine, kEnd };

Result<std::string> ReadInput(Until until) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno(ErrorCode::kInvalidArgument, "read the value");
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kHiddenBytesMax + 1)
      return Fail(ErrorCode::kInvalidArgument, "a value has at most 64 KiB");
    if (until == Until::kLine && text.ends_with(kControlC))
      return Fail(ErrorCode::kInvalidArgument, "nothing was changed");
    if (got == 0 || (until == Until::kLine && text.ends_with('\n'))) break;
  }
  ::explicit_bzero(piece.data(), piece.size());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<std::string> ReadHidden(const std::string& prompt) {
  Result<std::string> text;
  if (::isatty(STDIN_FILENO) != 0) {
    SilentTerminal silent;  // before the prompt
    fmt::print(stderr, "{}", prompt);
    text = ReadInput(Until::kLine);
  } else {
    text = ReadInput(Until::kEnd);
  }
  if (text && text->empty())
    return Fail(ErrorCode::kInvalidArgument,
                "the value is empty: type it, or pipe it in as `viv secret set NAME < FILE`");
  return text;
}

}  // namespace viv::cli
