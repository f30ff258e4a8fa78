#pragma once
// The context of all Klavis handlers, and their routes. One file per operation.

#include <string>

#include "base/task.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "worlds/sandboxes.h"

namespace viv::klavis {

struct Context {
  worlds::Sandboxes& sandboxes;
  std::string public_url;  // empty: the one the client used
};

Task<http::Response> AcquireSandbox(Context& context, http::Request& request);
Task<http::Response> GetSandbox(Context& context, http::Request& request);
Task<http::Response> ListSandboxes(Context& context, http::Request& request);
Task<http::Response> ReleaseSandbox(Context& context, http::Request& request);
Task<http::Response> ResetSandbox(Context& context, http::Request& request);
Task<http::Response> InitializeSandbox(Context& context, http::Request& request);
Task<http::Response> DumpSandbox(Context& context, http::Request& request);
Task<http::Response> PrepareSandboxes(Context& context, http::Request& request);

// Every route of the dialect; `context` outlives the router.
http::Router Routes(Context& context, const http::KeyLookup& keys);

// Shared by the operations.
worlds::SandboxRef RefOf(const http::Request& request);
std::string ServerUrlOf(const Context& context,
                        const http::Request& request,
                        const store::Sandbox& sandbox);
std::string_view StatusOf(const store::Sandbox& sandbox);
json::value TagsOf(const store::Sandbox& sandbox);
json::value TextOrNull(const std::string& text);
// The 422 for a {server_name} that is no app; nothing when it is one.
std::optional<http::Response> RefuseUnknownServer(const Context& context,
                                                  const http::Request& request);

}  // namespace viv::klavis
