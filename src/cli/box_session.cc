#include "cli/box_session.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>

#include "base/base64.h"
#include "cli/box_access.h"
#include "cli/print_error.h"
#include "rpc/connect/envelope.h"

namespace viv::cli {
namespace {

constexpr std::size_t kInputPiece = 32 * 1024;

// Restores the terminal's mode, whatever happens.
class RawTerminal {
 public:
  RawTerminal() : is_terminal_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_terminal_) return;
    termios raw = before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~RawTerminal() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

 private:
  termios before_{};
  bool is_terminal_;
};

json::object TerminalSize() {
  winsize size{};
  ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
  json::object about;
  about["cols"] = size.ws_col == 0 ? 80 : size.ws_col;
  about["rows"] = size.ws_row == 0 ? 24 : size.ws_row;
  json::object pty;
  pty["size"] = std::move(about);
  return pty;
}

std::atomic<bool> terminal_resized{false};
void OnResize(int) {
  terminal_resized = true;
}

void WriteAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(to, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

json::object Selector(std::int64_t pid) {
  json::object which;
  which["pid"] = pid;
  return which;
}

// Sends what is typed or piped in, on a thread of its own: reading blocks. It has its own copy of
// everything, since the program may end while it waits.
void PumpInput(BoxAccess box, std::int64_t pid, bool terminal) {
  std::string piece(kInputPiece, '\0');
  for (;;) {
    ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    json::object message;
    message["process"] = Selector(pid);
    if (terminal && terminal_resized.exchange(false)) {
      json::object update = message;
      update["pty"] = TerminalSize();
      if (!CallAgent(box, "process.Process/Update", update)) return;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    json::object input;
    std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    input[terminal ? "pty" : "stdin"] = EncodeBase64(bytes);
    message["input"] = std::move(input);
    if (!CallAgent(box, "process.Process/SendInput", message)) return;
  }
  json::object message;
  message["process"] = Selector(pid);
  if (!terminal) std::ignore = CallAgent(box, "process.Process/CloseStdin", message);
}

// Follows a process's events to its end.
class Session {
 public:
  Session(BoxAccess box, bool terminal) : box_(std::move(box)), terminal_(terminal) {}

  Result<int> Run(const json::object& start, const std::string& user) {
    http::ClientRequest request = AgentRequest(box_, "POST", "/process.Process/Start", user);
    request.headers.Set("Content-Type", "application/connect+json");
    request.headers.Set("Connect-Protocol-Version", "1");
    request.body = connect::WrapEnvelope(0, WriteJson(start));
    http::StreamCallbacks callbacks;
    callbacks.on_head = [this](int status, const http::Headers&) -> Status {
      status_ = status;
      return {};
    };
    callbacks.on_piece = [this](std::string piece) { return Take(piece); };
    Status followed = http::FetchStreamBlocking(std::move(request), std::move(callbacks));
    if (status_ >= 400) return tl::unexpected<Error>(AgentError(status_, refusal_));
    if (!followed) return PassUp(std::move(followed).error());
    if (!code_) return Fail(ErrorCode::kUnavailable, "the box ended while the command was running");
    return *code_;
  }

 private:
  Status Take(const std::string& piece) {
    if (status_ >= 400) {
      refusal_ += piece;
      return {};
    }
    splitter_.Feed(piece);
    for (;;) {
      auto envelope = splitter_.Next();
      if (!envelope) return Fail(ErrorCode::kUnavailable, envelope.error().message);
      if (!*envelope) return {};
      ASSIGN_OR_RETURN(json::value message, ParseJson((*envelope)->message));
      if (const json::value* error = Find(message, "error"))
        return Fail(ErrorCode::kUnavailable, std::string(FindString(*error, "message")));
      if (const json::value* event = Find(message, "event")) Handle(*event);
    }
  }

  void Handle(const json::value& event) {
    if (const json::value* start = Find(event, "start")) {
      const json::value* pid = Find(*start, "pid");
      std::int64_t number = pid == nullptr ? 0 : pid->to_number<std::int64_t>();
      std::thread(PumpInput, box_, number, terminal_).detach();
    } else if (const json::value* data = Find(event, "data")) {
      Print(*data, "stdout", STDOUT_FILENO);
      Print(*data, "pty", STDOUT_FILENO);
      Print(*data, "stderr", STDERR_FILENO);
    } else if (const json::value* end = Find(event, "end")) {
      const json::value* code = Find(*end, "exitCode");
      int number = code == nullptr ? 0 : code->to_number<int>();
      code_ = number < 0 ? 137 : number;  // killed by a signal, as shells report it
    }
  }

  static void Print(const json::value& data, std::string_view name, int to) {
    if (auto bytes = DecodeBase64(FindString(data, name))) WriteAll(to, *bytes);
  }

  BoxAccess box_;
  bool terminal_;
  int status_ = 0;
  std::string refusal_;
  connect::EnvelopeSplitter splitter_;
  std::optional<int> code_;
};

}  // namespace

int Exec(const Remote& remote, const std::string& id, const ExecOptions& options) {
  auto box = OpenBox(remote, id);
  if (!box) return PrintError(box.error());
  auto variables = VariablesOf(options.variables);
  if (!variables) return PrintError(variables.error());
  // Through a login shell, so that PATH and the profile are those of an interactive user.
  json::array arguments{"-l", "-c", "exec \"$@\"", "bash"};
  // The "--" that ends our own options may come along.
  const std::size_t first = options.command.front() == "--" ? 1 : 0;
  if (first == options.command.size())
    return PrintError(
        {ErrorCode::kInvalidArgument, "the command is missing: `viv exec ID -- COMMAND`"});
  for (std::size_t i = first; i < options.command.size(); ++i)
    arguments.emplace_back(options.command[i]);
  json::object process;
  process["cmd"] = "/bin/bash";
  process["args"] = std::move(arguments);
  process["envs"] = *std::move(variables);
  if (!options.cwd.empty()) process["cwd"] = options.cwd;
  json::object start;
  start["process"] = std::move(process);
  start["stdin"] = true;
  auto code = Session(*box, false).Run(start, options.user);
  return code ? *code : PrintError(code.error());
}

int Shell(const Remote& remote,
          const std::string& id,
          const NewBox& fresh,
          const ExecOptions& options) {
  std::string name = id;
  if (name.empty()) {
    fmt::print(stderr, "Creating a box from {} …\n", fresh.from);
    auto made = MakeBox(remote, fresh);
    if (!made) return PrintError(made.error());
    name = *made;
    fmt::print(stderr, "{}; it is removed when you exit.\n", name);
  }
  auto box = OpenBox(remote, name);
  if (!box) return PrintError(box.error());
  json::object variables;
  const char* terminal = ::getenv("TERM");
  variables["TERM"] = terminal == nullptr ? "xterm-256color" : terminal;
  json::object process;
  process["cmd"] = "/bin/bash";
  process["args"] = json::array{"-i", "-l"};
  process["envs"] = std::move(variables);
  json::object start;
  start["process"] = std::move(process);
  start["pty"] = TerminalSize();
  struct sigaction action {};
  action.sa_handler = OnResize;  // without SA_RESTART: it interrupts the read
  ::sigaction(SIGWINCH, &action, nullptr);
  Result<int> code = 0;
  {
    RawTerminal raw;
    code = Session(*box, true).Run(start, options.user);
  }
  int done = code ? *code : PrintError(code.error());
  if (id.empty()) std::ignore = RemoveBoxes(remote, {name});
  return done;
}

}  // namespace viv::cli
