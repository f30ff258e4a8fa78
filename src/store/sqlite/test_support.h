#pragma once
// What the tests of the SQLite store share: a directory that goes away, and a child process.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

namespace viv::store {

class TempDirectory {
 public:
  TempDirectory() : path_(::testing::TempDir() + "viv-store-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Forks; the child runs `body` and ends with what it returns. The caller has no threads.
inline pid_t Fork(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  EXPECT_GT(child, 0);
  return child;
}

inline int ExitStatus(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace viv::store
