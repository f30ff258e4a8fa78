#pragma once
// A running git process, for coroutines: standard input, standard output and the exit code. The
// beginning of its standard error is kept for the log. The process group is killed at the deadline,
// and by the destructor. Used from one executor.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/result.h"
#include "base/task.h"

namespace viv::git {

struct GitCommand {
  std::string folder;                  // the repository
  std::vector<std::string> arguments;  // behind "git"
  std::vector<std::string> environment = {};
  std::chrono::seconds deadline{60};
};

class GitProcess {
 public:
  static Task<Result<std::unique_ptr<GitProcess>>> Start(BlockingPool& pool, GitCommand command);
  ~GitProcess();

  Task<Status> Write(std::string bytes);  // kUnavailable when git has closed its input
  void CloseInput();
  Task<Result<std::string>> Read();  // up to 64 KiB; empty at the end

  void Kill();
  bool was_killed() const;

  // The exit code, after its end. kUnavailable when it was killed.
  Task<Result<int>> Wait();
  std::string error_output() const;  // the beginning of what it wrote to its standard error

 private:
  struct State;
  explicit GitProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

struct GitOutput {
  int exit_code = 0;
  std::string output;
  std::string error_output;
};
// Runs git to its end. kLimitExceeded when it writes more than `output_bytes_max`.
Task<Result<GitOutput>> RunGit(BlockingPool& pool,
                               GitCommand command,
                               std::string input,
                               std::size_t output_bytes_max);

}  // namespace viv::git
