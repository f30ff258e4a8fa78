#pragma once
// Prevents DNS rebinding, by which a web page reaches MCP servers through the user's browser: the
// Origin of a request, and its Host on a server that listens on loopback, must be known ones.

#include <string>
#include <vector>

#include "http/message.h"

namespace viv::mcp {

struct OriginPolicy {
  bool loopback_only =
      true;  // the server listens on loopback: then Host must be a name of this machine
  std::vector<std::string>
      allowed_origins;  // beside this machine's own names: "https://app.example.com"
  // How clients reach the server through a proxy, "https://viv.example": its host and origin are
  // allowed as well. Empty: there is none.
  std::string public_url = {};
};

bool IsAllowed(const OriginPolicy& policy, const http::Request& request);

// What is wrong with a request that is not allowed, and which setting would allow it.
std::string WhyNotAllowed(const OriginPolicy& policy, const http::Request& request);

}  // namespace viv::mcp
