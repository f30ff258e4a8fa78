#pragma once
// The repositories of accounts as git clients reach them: /git/ACCOUNT.git, the account by its
// name, its id or the UUID that Recoup's API shows. The key is the password of HTTP's basic scheme,
// with any user name; the other ways to send it work, too. A repository is there from the first
// time its account, or one of the same organization, asks.

#include <string>

#include "accounts/accounts.h"
#include "git/repositories.h"
#include "http/middleware/auth.h"
#include "http/router.h"

namespace viv::recoup {

// All given outlives the router.
http::Router GitRoutes(git::Repositories& repositories,
                       accounts::Accounts& accounts,
                       const http::KeyLookup& keys);
// The same on a server without boxes: 503 and the reason.
http::Router UnavailableGitRoutes(std::string why);
// git shows the text of an error as it is.
http::Response RenderGitError(int status, std::string message, const http::Request& request);

// Whether the body of such a request is handled while it arrives (ServerOptions::streams_body).
bool IsGitStreamed(const http::Request& request);

}  // namespace viv::recoup
