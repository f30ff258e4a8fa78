#pragma once
// The bridge to the MCP servers of a box. POST /mcp carries one JSON-RPC message together with the
// definition of the server it is for; the response is application/x-ndjson: notifications while
// they come, then the response, or 202 where none is due. There is one process per server. It is
// started on first use and outlives its callers, because its state belongs to the box. A server
// whose definition has changed is restarted.

#include <cstddef>
#include <memory>

#include "agent/context.h"
#include "http/router.h"

namespace viv::agent {

class McpServers {
 public:
  explicit McpServers(Context& context);
  ~McpServers();
  void AddTo(http::Router& router);  // it and this outlive the server
  std::size_t running() const;       // servers that are at work

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace viv::agent
