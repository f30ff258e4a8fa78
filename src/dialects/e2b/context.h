#pragma once
// The context of all E2B handlers, and their routes. One file per operation or small group of them.

#include <string>

#include "accounts/account_secrets.h"
#include "accounts/accounts.h"
#include "accounts/sealer.h"
#include "base/clock.h"
#include "base/task.h"
#include "boxes/boxes.h"
#include "dialects/e2b/idempotency.h"
#include "dialects/e2b/link_search.h"
#include "http/middleware/auth.h"
#include "http/relay.h"
#include "http/route_table.h"
#include "http/router.h"

namespace viv::e2b {

struct Context {
  boxes::Boxes& boxes;
  accounts::Accounts& accounts;
  accounts::AccountSecrets& secrets;
  const accounts::Sealer& sealer;  // seals what rules add to requests of boxes
  std::string domain = {};  // of "{port}-{id}.domain" names, with its port; empty: none is told
  http::RelayFunction relay = http::Relay;
  Clock clock = NowMs;
  IdempotencyKeys creations = IdempotencyKeys();
  LinkSearch links = {};
};

// Every route of the control plane; `context` outlives the router.
http::Router Routes(Context& context, const http::KeyLookup& keys);
// The same routes on a server without boxes: each is answered with 503 and the reason.
http::Router UnavailableRoutes(std::string why);

using Operation = Task<http::Response>(Context& context, http::Request& request);

// Sandboxes.
Operation CreateSandbox, CreateSandboxV2;
Operation ListSandboxes, ListRunningSandboxes;
Operation GetSandbox, KillSandbox, PauseSandbox;
Operation ConnectSandbox, ConnectSandboxV2, ResumeSandbox;
Operation SetSandboxTimeout, RefreshSandbox, UpdateSandboxNetwork, ForkSandbox;
Operation CreateSnapshot, ListSnapshots;
Operation GetSandboxMetrics, ListSandboxMetrics;
Operation GetSandboxLogs, GetSandboxLogsV2;

// Templates.
Operation ListTemplates, ListTemplatesV2, GetTemplate, UpdateTemplate, RemoveTemplate;
Operation GetTemplateAlias, ListTemplateTags;

// The account.
Operation Health, ListTeams, GetTeamMetrics, GetTeamMetricMaximum;
Operation ListSecrets, CreateSecret, GetSecret, UpdateSecret, RemoveSecret;
Operation ListApiKeys, CreateApiKey, RenameApiKey, RemoveApiKey;

// The vendor's operations that this server does not support: 400, and what to use instead.
void AddUnsupportedRoutes(http::Router& router, const http::Middleware& auth);

// Shared by the operations: the {id} of the path as the domain knows it. Clients may write
// "id-client".
std::string SandboxIdOf(const http::Request& request);
std::string ShortId(std::string_view id);

}  // namespace viv::e2b
