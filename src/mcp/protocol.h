#pragma once
// The MCP protocol, independent of transports: handles one JSON-RPC message for the server of a
// sandbox and returns the reply. All state belongs to the sandbox, so that nothing is kept between
// messages.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "mcp/cancellable_calls.h"
#include "mcp/reply.h"
#include "rpc/jsonrpc/message.h"
#include "rpc/mcp/revisions.h"
#include "worlds/sandboxes.h"

namespace viv::mcp {

struct ProtocolOptions {
  std::size_t tools_page =
      1000;  // tools/list: that many at once; most clients never ask for a second page
};

class Protocol {
 public:
  Protocol(worlds::Sandboxes& sandboxes, ProtocolOptions options)
      : sandboxes_(sandboxes), options_(options) {}

  // `version` is the revision the request is in.
  Task<Reply> Handle(store::SandboxPtr sandbox,
                     rpc::JsonRpcMessage request,
                     std::string_view version);

  // A notification: a cancellation stops the request it names, if that is still under way.
  void Notify(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& notification);

 private:
  // The two kinds of revisions. A result of the handshake kind is that of the modern one without
  // its type.
  enum class Era { kHandshake, kModern };

  Reply Initialize(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request);
  Reply Discover(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request);
  Reply ListTools(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request, Era era);
  Task<Reply> CallTool(store::SandboxPtr sandbox, rpc::JsonRpcMessage request, Era era);
  static Reply ResultReply(const json::value& id, std::string result_json, Era era);

  worlds::Sandboxes& sandboxes_;
  ProtocolOptions options_;
  CancellableCalls calls_in_progress_;
};

}  // namespace viv::mcp
