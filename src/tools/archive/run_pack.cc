#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tools/archive/archive.h"
#include "tools/archive/pack.h"

namespace viv::tools {
namespace {

constexpr int kNotesMax = 20;

}  // namespace

int RunPack(int count, char** words) {
  if (count != 1 || words[0][0] != '/') {
    std::fputs("usage: viv-tools pack FOLDER, with an absolute FOLDER\n", stderr);
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error like others
  int notes = 0;
  const SkipReporter report = [&notes](const std::string& sentence) {
    if (++notes <= kNotesMax) std::fprintf(stderr, "%s\n", sentence.c_str());
  };
  const Status packed = Pack(words[0], STDOUT_FILENO, report);
  if (notes > kNotesMax) std::fprintf(stderr, "and %d more\n", notes - kNotesMax);
  if (packed) return 0;
  std::fprintf(stderr, "%s\n", packed.error().message.c_str());
  return 1;
}

}  // namespace viv::tools
