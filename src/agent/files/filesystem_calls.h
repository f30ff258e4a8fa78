#pragma once
// The unary calls of filesystem.Filesystem about files: Stat, MakeDir, Move, ListDir, Remove.

#include "agent/context.h"
#include "agent/files/file_result.h"
#include "base/json.h"
#include "base/task.h"
#include "http/message.h"
#include "rpc/connect/service.h"

namespace viv::agent {

// The RPC error that envd's clients expect for a file error.
tl::unexpected<connect::RpcError> FileRpcError(const FileError& file_error);

// Who calls, and which path a member of the request names.
struct CallerAndPath {
  User user;
  std::string path;
};
connect::RpcResult<CallerAndPath> ReadCallerAndPath(const Context& context,
                                                    const http::Request& request,
                                                    const json::object& message,
                                                    std::string_view member);

// `context` and `request` outlive the calls.
using FileRpcResult = connect::RpcResult<json::object>;
Task<FileRpcResult> StatFile(const Context& context, const http::Request& request, json::object in);
Task<FileRpcResult> MakeDirectory(const Context& context,
                                  const http::Request& request,
                                  json::object in);
Task<FileRpcResult> MoveFile(const Context& context, const http::Request& request, json::object in);
Task<FileRpcResult> ListDirectory(const Context& context,
                                  const http::Request& request,
                                  json::object in);
Task<FileRpcResult> RemoveFile(const Context& context,
                               const http::Request& request,
                               json::object in);

}  // namespace viv::agent
