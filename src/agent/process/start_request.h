#pragma once
// Reads envd's StartRequest and starts the process that it asks for.

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "agent/context.h"
#include "agent/process/process.h"
#include "base/json.h"
#include "rpc/connect/rpc_error.h"

namespace viv::agent {

// Refused: a missing cwd, an unknown program or a bad variable as kInvalidArgument, a box that is
// out of processes, memory, descriptors or terminals as kResourceExhausted. The caller reaps the
// child and runs the process's coroutines.
connect::RpcResult<std::shared_ptr<Process>> StartFromRequest(Context& context,
                                                              const User& user,
                                                              const json::object& request,
                                                              std::uint64_t sequence,
                                                              asio::any_io_executor executor);

// {"size": {"cols", "rows"}} of a PTY message; what does not fit is cut to what does.
TerminalSize ReadTerminalSize(const json::value& pty);

}  // namespace viv::agent
