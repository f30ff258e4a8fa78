#include "templates/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>

#include "base/unique_fd.h"
#include "templates/folder_writer.h"

namespace viv::templates {
namespace {

constexpr std::size_t kLineMax = 2000;
constexpr std::size_t kLastLinesMax = 8;

// Cuts what a program writes into lines, and remembers the last of them.
class LineReader {
 public:
  explicit LineReader(const Progress& progress) : progress_(progress) {}

  void Add(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' || c == '\r') {
        End();
      } else if (line_.size() < kLineMax) {
        line_ += c;
      }
    }
  }
  void End() {
    if (line_.empty()) return;
    if (progress_) progress_(line_);
    last_.push_back(std::move(line_));
    if (last_.size() > kLastLinesMax) last_.pop_front();
    line_.clear();
  }
  std::string LastLines() const {
    std::string text;
    for (const std::string& line : last_) text += (text.empty() ? "" : "\n") + line;
    return text;
  }

 private:
  const Progress& progress_;
  std::string line_;
  std::deque<std::string> last_;
};

Result<pid_t> StartProgram(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  char language[] = "LC_ALL=C.UTF-8";
  char frontend[] = "DEBIAN_FRONTEND=noninteractive";
  char folder[] = "TMPDIR=/var/tmp";
  char* environment[] = {path, language, frontend, folder, nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;  // a group of its own, so that all of it can be ended
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  int error = ENOENT;
  for (const char* place : {"/usr/local/bin/", "/usr/bin/", "/usr/sbin/", "/bin/"}) {
    error = posix_spawn(&child, (place + command[0]).c_str(), &actions, &attributes,
                        arguments.data(), environment);
    if (error != ENOENT) break;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    return Fail(ErrorCode::kUnavailable,
                command[0] + " is not installed: apt-get install " + command[0]);
  if (error != 0) return FailSystem("run " + command[0], error);
  return child;
}

// Reads until the program closes its output. Fails at the deadline and when `check` does.
Status ReadLines(int output,
                 LineReader& lines,
                 std::chrono::steady_clock::time_point deadline,
                 const ProgramCheck& check) {
  constexpr int kCheckEveryMs = 1000;
  char buffer[4096];
  auto next_check = std::chrono::steady_clock::now();
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return Fail(ErrorCode::kInternal, "it took too long");
    if (check && now >= next_check) {
      RETURN_IF_ERROR(check());
      next_check = now + std::chrono::milliseconds(kCheckEveryMs);
    }
    pollfd wait{.fd = output, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, kCheckEveryMs) <= 0) continue;
    const ssize_t got = read(output, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    lines.Add({buffer, static_cast<std::size_t>(got)});
  }
}

}  // namespace

Status RunProgram(const std::vector<std::string>& command,
                  const Progress& progress,
                  std::chrono::seconds timeout,
                  const ProgramCheck& check) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return FailSystem("run " + command[0]);
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  ASSIGN_OR_RETURN(const pid_t child, StartProgram(command, input.get()));
  input = UniqueFd();
  LineReader lines(progress);
  const Status read =
      ReadLines(output.get(), lines, std::chrono::steady_clock::now() + timeout, check);
  lines.End();
  if (!read) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read) {
    const std::string words = lines.LastLines();
    return Fail(read.error().code,
                command[0] + ": " + read.error().message + (words.empty() ? "" : ": " + words));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Fail(ErrorCode::kInternal, command[0] + " failed: " + lines.LastLines());
}

}  // namespace viv::templates
