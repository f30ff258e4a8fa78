#pragma once
// The tools of a sandbox for clients that speak no MCP: the SDKs' mcp_server.list_tools,
// call_tools and get_tools. They name a server by its URL, which must be one of this server and of
// the caller's own sandboxes: nothing is ever dialled.

#include <string>

#include "engine/catalogue.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "local/local_servers.h"
#include "mcp/routes.h"

namespace viv::klavis {

struct ServerToolsContext {
  mcp::Routes& mcp;
  engine::Catalogue& catalogue;
  const local::LocalServers& local_servers;
  std::string public_url;  // empty: the one the client used
};

// `context` outlives the router.
http::Router ServerToolsRoutes(ServerToolsContext& context, const http::KeyLookup& keys);

}  // namespace viv::klavis
