#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "tools/archive/archive.h"
#include "tools/archive/run_as.h"
#include "tools/archive/unpack.h"

namespace viv::tools {
namespace {

int PrintError(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int UnpackHere(const std::string& folder) {
  const Result<Unpacked> done = Unpack(STDIN_FILENO, folder);
  if (!done) return PrintError(done.error());
  const std::string report = "{\"files\":" + std::to_string(done->files) +
                             ",\"bytes\":" + std::to_string(done->bytes) + "}\n";
  std::fwrite(report.data(), 1, report.size(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

// The work is done by a child in a session of its own. Whoever kills us when the sender went away
// does not reach it: it sees the end of its input, and takes away what it has unpacked so far.
int UnpackInChild(const std::string& folder) {
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("unpack");
    return 1;
  }
  if (child == 0) {
    ::setsid();
    ::_exit(UnpackHere(folder));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int RunUnpack(int count, char** words) {
  const bool for_user = count == 3 && std::string_view(words[1]) == "--user";
  if ((count != 1 && !for_user) || words[0][0] != '/') {
    std::fputs("usage: viv-tools unpack FOLDER [--user NAME], with an absolute FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = words[0];
  if (for_user) {
    if (Status ready = MakeFolderAndSetUser(folder, words[2]); !ready)
      return PrintError(ready.error());
  }
  return UnpackInChild(folder);
}

}  // namespace viv::tools
