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
};

// All routes, under /v2/sandboxes and /api/v2/sandboxes, and the secrets of the workspace under
// /api/v1; `context` outlives the router.
http::Router Routes(Context& context, const http::KeyLookup& keys);

// The parts of it; `router` is mounted below both prefixes, `auth` wraps each handler that needs a
// key.
void AddBoxRoutes(Context& context, http::Router& router, const http::Middleware& auth);
void AddSnapshotRoutes(Context& context, http::Router& router, const http::Middleware& auth);
void AddRegistryRoutes(Context& context, http::Router& router, const http::Middleware& auth);
void AddServiceRoutes(Context& context, http::Router& router, const http::Middleware& auth);
void AddDataPlaneRoutes(Context& context, http::Router& router, const http::Middleware& auth);
// Below /api/v1.
void AddWorkspaceRoutes(Context& context, http::Router& router, const http::Middleware& auth);

// Whether the body of the request is streamed: uploads, and whatever is forwarded to a guest.
bool IsStreamed(const http::Request& request);

// Shared by the operations: a box by its name, UUID or own id, in this order.
Result<boxes::BoxPtr> FindBox(const Context& context,
                              std::string_view account_id,
                              std::string_view ref);
// "http://host:port" for links and the data plane.
std::string OriginOf(const Context& context, const http::Request& request);

}  // namespace viv::langsmith
