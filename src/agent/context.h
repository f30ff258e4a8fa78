#pragma once
// What the agent's services share: the default user, the environment of every process, and the
// token that callers must send. Used from one thread; /init sets it, everything else reads it.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/log_ring.h"
#include "agent/users.h"
#include "http/message.h"
#include "rpc/connect/service.h"

namespace viv::agent {

class SharedReaper;  // of agent/process/reaper.h

struct Context {
  std::string access_token;  // empty: callers need none
  std::map<std::string, std::string> variables;
  std::string default_user = "user";
  std::string default_workdir;  // empty: the user's home
  // The egress gateway's authority, where a template has it: its processes are told about it.
  std::string authority_file = "/usr/local/share/ca-certificates/vivarium.crt";
  Users users;
  LogRing logs;
  std::weak_ptr<SharedReaper> reaper;  // only one object may read SIGCHLD
};

// The user a request acts as: of its Basic header, else the default one. Unknown names are
// unauthenticated `invalid username: 'x'`, an unknown default one `invalid default user: 'x'`.
connect::RpcResult<User> CallerOf(const Context& context, const http::Request& request);

// E2B's path rules: empty is the default workdir, "~" the home, relative is below the home,
// absolute stays. Not resolved any further.
std::string ResolvePath(const Context& context, const User& user, std::string_view path);

}  // namespace viv::agent
