#pragma once
// Clones a child that becomes a user of the box and executes a program. The child shares our memory
// until exec, as with vfork, so that between clone and exec there are only system calls. The child
// reports a failure by writing the step and errno into the plan. The agent is suspended until then.

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/users.h"

namespace viv::agent {

struct ExecRequest {
  std::string program;                   // a path; a relative one is below `folder`
  std::vector<std::string> arguments;    // with the name first
  std::vector<std::string> environment;  // "NAME=value"
  std::string folder;
  User user;
  int input = -1;  // become descriptors 0, 1 and 2; above 2, borrowed
  int output = -1;
  int error = -1;
  enum class Terminal { kNone, kInput } terminal = Terminal::kNone;  // the controlling one
};

enum class ExecStep { kNone, kClone, kSession, kDescriptors, kTerminal, kUser, kFolder, kExecute };

struct ExecFailure {
  ExecStep step;
  int error;
};

// The child leads a session, and so a process group, of its own. It inherits no other descriptor,
// no ignored signal, and neither the priority nor the OOM protection of the agent.
tl::expected<pid_t, ExecFailure> CloneAndExec(const ExecRequest& request);

// What the child needs, as the kernel wants it. Internal to clone_exec.cc and clone_exec_child.cc.
struct ExecPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;
  uid_t uid;
  gid_t gid;
  const gid_t* groups;
  std::size_t group_count;
  int descriptors[3];
  bool terminal;
  ExecStep failed_step;  // written by the child
  int error;
};
int RunExecChild(void* plan);  // for clone(2); returns only to exit

}  // namespace viv::agent
