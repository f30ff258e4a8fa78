#pragma once
// The context of all Recoup handlers, and their routes: sandboxes of an account, its snapshot and
// repository, runs of commands, and sandboxes of sessions.

#include <array>
#include <string>
#include <vector>

#include "accounts/accounts.h"
#include "accounts/document_table.h"
#include "base/async_mutex.h"
#include "base/clock.h"
#include "base/task.h"
#include "boxes/boxes.h"
#include "dialects/recoup/run_queue.h"
#include "git/repositories.h"
#include "http/middleware/auth.h"
#include "http/route_table.h"
#include "http/router.h"
#include "network/dial_guard.h"

namespace viv::http {
class ClientTls;
}

namespace viv::recoup {

struct Context {
  boxes::Boxes& boxes;
  accounts::Accounts& accounts;
  git::Repositories& repositories;
  accounts::DocumentTable& account_rows;  // per account: its snapshot, repository's URL, expiry
  accounts::DocumentTable& runs;
  accounts::DocumentTable& sessions;
  std::string public_url = {};         // of links in answers; empty: the one the client used
  network::DialGuard dial_guard = {};  // decides which addresses downloads are dialled at
  http::ClientTls* tls = nullptr;      // for https:// downloads; outlives the executor
  Clock clock = NowMs;
  RunQueue run_queue = {};                          // from requests to ExecuteRuns
  std::array<AsyncMutex, 64> session_mutexes = {};  // by the hash of a session's id
};

// Every route below /api; `context` outlives the router.
http::Router Routes(Context& context, const http::KeyLookup& keys);
// The same routes on a server without boxes: each is answered with 503 and the reason. A browser's
// preflight succeeds, so that the page sees it.
http::Router UnavailableRoutes(std::string why);

// Executes the runs: those that an earlier server began, then those of new requests. Never returns.
// For the background, on an executor of one thread. `context` outlives it.
Task<void> ExecuteRuns(Context& context);

using Operation = Task<http::Response>(Context& context, http::Request& request);
Operation ListSandboxes, CreateSandbox, UpdateAccount, DeleteAccount, SetUpAccount;
Operation ReadRepositoryFile, UploadRepositoryFiles;
Operation ListRuns;
Operation OpenSession, GetSessionStatus, ReconnectSession;
Operation ExplainStagedFile, ExplainStatistics;

}  // namespace viv::recoup
