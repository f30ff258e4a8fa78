#include "storage/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::storage {
namespace {

constexpr std::size_t kCommandOutputMax = 4096;

std::string ReadCommandOutput(int pipe_end) {
  std::string output;
  char buffer[1024];
  ssize_t got = 0;
  while ((got = read(pipe_end, buffer, sizeof buffer)) > 0) {
    if (output.size() < kCommandOutputMax) output.append(buffer, static_cast<std::size_t>(got));
  }
  return std::string(Trim(output));
}

}  // namespace

Status RunCommand(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return FailErrno("run " + command[0]);
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // mkfs lives in sbin, which the path of a user who became root may lack.
  char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  char language[] = "LC_ALL=C";
  char* environment[] = {path, language, nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, input.get(), 2);
  pid_t child = -1;
  int error = ENOENT;
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/bin/", "/usr/local/sbin/"}) {
    error = posix_spawn(&child, (folder + command[0]).c_str(), &actions, nullptr, arguments.data(),
                        environment);
    if (error != ENOENT) break;
  }
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return Fail(ErrorCode::kUnavailable, command[0] + " is not installed");
  if (error != 0) return FailErrno("run " + command[0], error);
  input = UniqueFd();
  const std::string said = ReadCommandOutput(output.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  // The first line is the error message; after it mkfs explains all its options.
  return Fail(ErrorCode::kInternal, command[0] + " failed: " + said.substr(0, said.find('\n')));
}

}  // namespace viv::storage
