#pragma once
// Calls the agent of a box, through the server, as E2B's clients do.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "cli/remote.h"
#include "http/client.h"

namespace viv::cli {

struct BoxAccess {
  std::string url;
  std::string id;
  std::string token;
};

// kNotFound when there is no such box; one that does not run is resumed.
Result<BoxAccess> OpenBox(const Remote& remote, const std::string& id);

// A request to the box's agent; `user` may be empty.
http::ClientRequest AgentRequest(const BoxAccess& box,
                                 const std::string& method,
                                 const std::string& path,
                                 const std::string& user = "");

// One call of the agent's services, "process.Process/List".
Result<json::value> CallAgent(const BoxAccess& box,
                              std::string_view method,
                              const json::object& message,
                              const std::string& user = "");

// The error of a response with a status of 400 or more.
Error AgentError(int status, std::string_view body);

}  // namespace viv::cli
