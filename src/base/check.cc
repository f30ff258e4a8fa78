#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace viv {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace viv
