#pragma once
// viv down: ends all boxes of a data folder, whether its server runs or not. Worlds and snapshots
// stay.

#include <string>

#include "accounts/accounts.h"
#include "boxes/boxes.h"
#include "cli/remote.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "server/settings.h"

namespace viv::server {

struct DownOptions {
  bool through_server = false;  // a URL was given: that server's boxes
  bool yes = false;             // without a question
  bool json = false;            // print in JSON which boxes ended
};
int Down(const Settings& settings, const cli::Remote& remote, const DownOptions& options);

// GET and DELETE /api/viv/boxes: the boxes of all accounts, for the operator.
struct AllBoxes {
  boxes::Boxes& boxes;
  const accounts::Accounts& accounts;
};
void AddAllBoxes(http::Router& router, AllBoxes all, const http::KeyLookup& keys);
// The same routes on a server without boxes.
void AddUnavailableAllBoxes(http::Router& router, const http::Handler& refuse);

}  // namespace viv::server
