#pragma once
// The context of all LangSmith handlers, and their routes. The control plane is here, one file per
// operation or small group. Of the data plane only authentication and routing are here: the box's
// own agent implements it (agent/dataplane), so that the server parses nothing that a guest sends.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/account_secrets.h"
#include "accounts/accounts.h"
#include "accounts/document_table.h"
#include "accounts/sealer.h"
#include "base/async_mutex.h"
#include "base/clock.h"
#include "base/task.h"
#include "boxes/boxes.h"
#include "boxes/image_imports.h"
#include "http/middleware/auth.h"
#include "http/relay.h"
#include "http/route_table.h"
#include "http/router.h"

namespace viv::langsmith {

struct Context {
  boxes::Boxes& boxes;
  accounts::Accounts& accounts;
  const accounts::Sealer& sealer;
  accounts::AccountSecrets& account_secrets;  // an account is called workspace in this dialect
  accounts::DocumentTable& registries;
  accounts::DocumentTable&
      snapshots;  // what the domain does not know of a snapshot: tags, labels, builds
  accounts::DocumentTable& services;  // which ports of which boxes are shared, and how
  std::string public_url = {};        // of links in answers; empty: the one the client used
  std::string domain = {};  // of "{uuid}--{port}.domain" names, with its port; empty: none is told
  std::size_t boxes_max = 0;  // how many the server holds, for /usage; 0: not told
  http::RelayFunction relay = http::Relay;
  Clock clock = NowMs;
  boxes::ImageImports* images = nullptr;  // nullptr: snapshots are made of boxes only
  // Locked while a grant is changed, by the hash of box and port.
  std::array<AsyncMutex, 64> grant_mutexes = {};
  AsyncMutex registry_mutex = {};  // held from looking up a registry's name to writing it
};

// Every route, under /v2/sandboxes and /api/v2/sandboxes, the secrets of the workspace under
// /api/v1, and links to files under /_dl; `context` outlives the router.
http::Router Routes(Context& context, const http::KeyLookup& keys);
// The same routes on a server without boxes: each is answered with 503 and the reason.
http::Router UnavailableRoutes(std::string why);

// The tables of it. These are mounted below /v2/sandboxes and /api/v2/sandboxes and want a key.
http::RouteTable<Context> BoxRoutes();
http::RouteTable<Context> RegistryRoutes();
http::RouteTable<Context> ServiceRoutes();
http::RouteTable<Context> DataPlaneRoutes();
// Below /api/v1, with a key.
http::RouteTable<Context> WorkspaceRoutes();
// At the root, without a key: the link itself is the proof.
http::RouteTable<Context> LinkRoutes();

// Whether the body of the request is streamed: uploads, and whatever is forwarded to a guest.
bool IsStreamed(const http::Request& request);

// Shared by the operations: a box by its name, UUID or own id, in this order.
Result<boxes::BoxPtr> FindBox(const Context& context,
                              std::string_view account_id,
                              std::string_view ref);
// "http://host:port" for links and the data plane.
std::string OriginOf(const Context& context, const http::Request& request);

}  // namespace viv::langsmith
