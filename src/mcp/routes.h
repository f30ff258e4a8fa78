#pragma once
// The MCP transports over HTTP: streamable HTTP, and the older pair of an event stream at …/sse
// with messages posted beside it. A simulated application is at /mcp/{server}?instance_id=LEASE, a
// server in a local sandbox at /{server}/mcp?local_sandbox_id=UUID, and each at the other's path
// too. The id is the capability; there is no other key.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "boxes/boxes.h"
#include "http/router.h"
#include "local/local_servers.h"
#include "mcp/endpoint.h"
#include "mcp/origin.h"
#include "mcp/protocol.h"
#include "mcp/sessions.h"

namespace viv::mcp {

// The URL of a sandbox's server, as a client of `base_url` reaches it.
std::string ServerUrl(const std::string& base_url, const store::Sandbox& sandbox);

// Errors that arise before a handler is called, such as an unknown path or a wrong method: a
// JSON-RPC error without an id.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

class EventSessions;

class Routes {
 public:
  // MCP servers in boxes; nullptr where boxes are unavailable.
  struct Local {
    boxes::Boxes* boxes = nullptr;
    const local::LocalServers* servers = nullptr;
  };
  Routes(worlds::Sandboxes& sandboxes,
         Local local,
         ProtocolOptions options,
         OriginPolicy origins,
         std::string secret);
  ~Routes();

  // After how many seconds an account may send its next request when it sends too many; nothing:
  // it may. Called for each message, cheap. Before the first request.
  using Admit = std::function<std::optional<int>(std::string_view account_id)>;
  void SetAdmit(Admit admit) { admit_ = std::move(admit); }

  void AddTo(http::Router& router);  // this object outlives the router's use
  // The server of a sandbox of the account, by the URL that the sandbox was acquired with. Nothing
  // is dialled: path and id say which it is, whatever the host. kNotFound for everything else.
  Result<EndpointPtr> FindByUrl(std::string_view account_id, std::string_view url);
  // Ends the event streams whose sandbox is gone; called several times a second.
  void EndOrphanedStreams();

 private:
  Task<http::Response> Post(http::Request& request);
  Task<http::Response> Get(http::Request& request);
  Task<http::Response> Delete(http::Request& request);
  Task<http::Response> OpenEvents(http::Request& request);
  Task<http::Response> PostEvent(http::Request& request);

  Result<EndpointPtr> FindEndpoint(const http::Request& request);
  std::optional<http::Response> RefuseTooMany(const Endpoint& endpoint) const;
  Task<http::Response> RespondToBatch(const http::Request& request,
                                      EndpointPtr endpoint,
                                      json::array batch);
  Task<http::Response> RespondToMessage(const http::Request& request,
                                        EndpointPtr endpoint,
                                        ReceivedMessage incoming);

  worlds::Sandboxes& sandboxes_;
  const Local local_;
  Protocol protocol_;
  OriginPolicy origins_;
  Admit admit_;
  Sessions sessions_;
  std::unique_ptr<EventSessions> event_sessions_;
};

}  // namespace viv::mcp
