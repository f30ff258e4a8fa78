#pragma once
// Keeps web pages from reaching MCP servers behind a browser's back (DNS rebinding): a request that
// names an Origin, or a Host on a server that only this machine should reach, must name one we
// know.

#include <string>
#include <vector>

#include "http/message.h"

namespace viv::mcp {

struct OriginPolicy {
  bool loopback_only =
      true;  // the server listens on loopback: then Host must be a name of this machine
  std::vector<std::string>
      allowed_origins;  // beside this machine's own names: "https://app.example.com"
};

bool IsAllowed(const OriginPolicy& policy, const http::Request& request);

}  // namespace viv::mcp
