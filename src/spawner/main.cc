// viv-agent: what `viv serve` starts once to make boxes, and what is then pid 1 in each of them.
// Not meant to be run by hand.

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "spawner/spawner.h"

int main(int count, char** arguments) {
  constexpr int kServer = 3;  // the descriptor that the launcher leaves us
  if (count != 2 || std::strcmp(arguments[1], "spawner") != 0) {
    std::fputs("viv-agent is started by `viv serve`; there is nothing to run by hand\n", stderr);
    return 2;
  }
  static char* no_environment[] = {nullptr};
  environ = no_environment;
  ::syscall(SYS_close_range, kServer + 1, ~0U, 0);
  return viv::spawner::Serve(viv::UniqueFd(kServer));
}
