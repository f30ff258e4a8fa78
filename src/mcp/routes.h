#pragma once
// The MCP transports over HTTP: streamable HTTP at /mcp/{server}?instance_id=LEASE, and the older
// pair of an event stream at …/sse with messages posted beside it. The instance id is the
// capability; there is no other key.

#include <memory>
#include <string>

#include "base/result.h"
#include "http/router.h"
#include "mcp/origin.h"
#include "mcp/protocol.h"
#include "mcp/sessions.h"

namespace viv::mcp {

// The URL of a sandbox's server, as a client of `base_url` reaches it.
std::string ServerUrl(const std::string& base_url, const store::Sandbox& sandbox);

class EventSessions;

class Routes {
 public:
  Routes(sandbox::Sandboxes& sandboxes,
         ProtocolOptions options,
         OriginPolicy origins,
         std::string secret);
  ~Routes();

  void AddTo(http::Router& router);  // this object outlives the router's use

 private:
  Task<http::Response> Post(http::Request& request);
  Task<http::Response> Get(http::Request& request);
  Task<http::Response> Delete(http::Request& request);
  Task<http::Response> OpenEvents(http::Request& request);
  Task<http::Response> PostEvent(http::Request& request);

  Result<store::SandboxPtr> FindSandbox(const http::Request& request) const;
  Task<http::Response> AnswerBatch(const http::Request& request,
                                   store::SandboxPtr sandbox,
                                   json::array batch);
  Task<http::Response> AnswerOne(const http::Request& request,
                                 store::SandboxPtr sandbox,
                                 rpc::JsonRpcMessage message);

  sandbox::Sandboxes& sandboxes_;
  Protocol protocol_;
  OriginPolicy origins_;
  Sessions sessions_;
  std::unique_ptr<EventSessions> event_sessions_;
};

}  // namespace viv::mcp
