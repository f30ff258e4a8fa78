#pragma once
// Vivarium's own API under /api/viv, for what no vendor's API has: comparing, verifying and forking
// worlds, injecting faults, the egress log of boxes, and managing organizations, accounts, keys,
// apps and sandboxes. Errors are {"error": {"code": "not_found", "message": "…"}}.

#include <functional>

#include "accounts/accounts.h"
#include "accounts/budgets.h"
#include "base/task.h"
#include "boxes/boxes.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "worlds/sandboxes.h"

namespace viv::dashboard {

struct Context {
  worlds::Sandboxes& sandboxes;
  accounts::Accounts& accounts;
  std::string public_url;                // empty: the one the client used
  boxes::Boxes* boxes = nullptr;         // nullptr: this server runs none
  accounts::Budgets* budgets = nullptr;  // nullptr: accounts have no limits
  // What an account's git repository takes; not set: there are none.
  std::function<Task<Result<std::int64_t>>(std::string account_id)> repository_bytes = {};
  // Called before a key, given by its id, is replaced; its failure keeps the key. May be empty.
  std::function<Status(std::string_view, const accounts::Accounts::NewKey&)> replace_server_key =
      {};
};

// worlds.cc
Task<http::Response> ShowWorld(Context& context, http::Request& request);
Task<http::Response> DiffWorld(Context& context, http::Request& request);
Task<http::Response> VerifyWorld(Context& context, http::Request& request);
Task<http::Response> ForkWorld(Context& context, http::Request& request);
Task<http::Response> DumpWorld(Context& context, http::Request& request);
Task<http::Response> LoadWorld(Context& context, http::Request& request);
Task<http::Response> SetFaults(Context& context, http::Request& request);
Task<http::Response> GetFaults(Context& context, http::Request& request);
Task<http::Response> SetClock(Context& context, http::Request& request);
Task<http::Response> GetClock(Context& context, http::Request& request);
// keys.cc
Task<http::Response> CreateKey(Context& context, http::Request& request);
Task<http::Response> ListKeys(Context& context, http::Request& request);
Task<http::Response> RevokeKey(Context& context, http::Request& request);
Task<http::Response> RotateKey(Context& context, http::Request& request);
// organizations.cc
Task<http::Response> CreateOrganization(Context& context, http::Request& request);
Task<http::Response> ListOrganizations(Context& context, http::Request& request);
Task<http::Response> CreateAccount(Context& context, http::Request& request);
Task<http::Response> ListAccounts(Context& context, http::Request& request);
Task<http::Response> MoveAccount(Context& context, http::Request& request);
bool IsOperator(const http::Request& request);  // whose key is the server's own
// limits.cc
Task<http::Response> GetLimits(Context& context, http::Request& request);
Task<http::Response> ChangeLimits(Context& context, http::Request& request);
Task<http::Response> ClearLimits(Context& context, http::Request& request);
Task<http::Response> GetUsage(Context& context, http::Request& request);
// box_egress.cc
Task<http::Response> ShowEgress(Context& context, http::Request& request);
// overview.cc
Task<http::Response> ListSandboxes(Context& context, http::Request& request);
Task<http::Response> ListApps(Context& context, http::Request& request);

http::Router Routes(Context& context,
                    const http::KeyLookup& keys);  // `context` outlives the router

http::Response Failure(int status, std::string_view code, std::string message);
http::Response RenderError(const Error& error);
// Errors that arise before an operation is called: an unknown path, a wrong method, no boxes.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

}  // namespace viv::dashboard
