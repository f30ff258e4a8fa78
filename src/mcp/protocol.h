#pragma once
// MCP itself, free of any transport: a JSON-RPC message for one sandbox's server goes in, what to
// send back comes out. State belongs to the sandbox, so there is nothing to remember between
// messages.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "mcp/in_flight.h"
#include "rpc/jsonrpc/message.h"
#include "sandbox/sandboxes.h"

namespace viv::mcp {

inline constexpr std::string_view kModernVersion =
    "2026-07-28";  // no handshake: every request says what it needs
inline constexpr std::string_view kLatestHandshake = "2025-11-25";
inline constexpr std::string_view kBatchVersion =
    "2025-03-26";  // the one revision that has batches

bool IsKnownVersion(std::string_view version);
json::array KnownVersions();

// The answer to a request. `messages` are notifications that come before it.
struct Answer {
  std::string body;                   // the JSON-RPC response
  std::vector<std::string> messages;  // JSON-RPC notifications: progress, log
  int status = 200;                   // of the HTTP answer, where the transport has one
  std::int64_t retry_after_s = 0;
  bool cancelled = false;  // there is nothing to answer
};

struct ProtocolOptions {
  std::size_t tools_page =
      1000;  // tools/list: that many at once; most clients never ask for a second page
};

class Protocol {
 public:
  Protocol(sandbox::Sandboxes& sandboxes, ProtocolOptions options)
      : sandboxes_(sandboxes), options_(options) {}

  // `version` is the revision the request is in.
  Task<Answer> Handle(store::SandboxPtr sandbox,
                      rpc::JsonRpcMessage request,
                      std::string_view version);

  // A notification: a cancellation stops the request it names, if that is still under way.
  void Notify(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& notification);

 private:
  // What the revisions have in common: a handshake-era result is the same without its type.
  enum class Era { kHandshake, kModern };

  Answer Initialize(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request);
  Answer Discover(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request);
  Answer ListTools(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request, Era era);
  Task<Answer> CallTool(store::SandboxPtr sandbox, rpc::JsonRpcMessage request, Era era);
  static Answer Result(const json::value& id, std::string result_json, Era era);

  sandbox::Sandboxes& sandboxes_;
  ProtocolOptions options_;
  InFlight in_flight_;
};

}  // namespace viv::mcp
