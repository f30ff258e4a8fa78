#include "dialects/recoup/git_routes.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "http/route_table.h"

namespace viv::recoup {
namespace {

constexpr std::string_view kGitSuffix = ".git";

// "Basic " and base64 of "user:key"; a key in place of the user name will do, as URLs have it.
std::string GitKeyOf(const http::Request& request) {
  constexpr std::string_view kBasic = "basic ";
  std::string_view authorization = Trim(request.headers.Get("authorization"));
  if (!EqualsIgnoreCase(authorization.substr(0, kBasic.size()), kBasic))
    return std::string(http::KeyOf(request));
  auto credentials = DecodeBase64(Trim(authorization.substr(kBasic.size())));
  if (!credentials) return {};
  const std::size_t colon = credentials->find(':');
  if (colon == std::string::npos) return {};
  std::string password = credentials->substr(colon + 1);
  return password.empty() ? credentials->substr(0, colon) : password;
}

http::Response AskForKey() {
  http::Response response = http::Text(401, "Use your key as the password, with any user name.\n");
  response.headers.Add("WWW-Authenticate", "Basic realm=\"Vivarium\", charset=\"UTF-8\"");
  return response;
}

http::Response RefuseGitRequest(http::AuthFailure) {
  return http::Text(429, std::string(http::kTooManyRequests) + "\n");
}

http::Response NoSuchRepository() {
  return http::Text(404, "There is no such repository.\n");
}

// The account whose repository is meant, when the caller may use it: to others it does not exist.
std::optional<std::string> AccountOfRepository(const accounts::Accounts& accounts,
                                               const http::Request& request) {
  std::string_view name = request.Parameter("repository");
  if (!name.ends_with(kGitSuffix)) return std::nullopt;
  name.remove_suffix(kGitSuffix.size());
  auto account = accounts.FindByUuid(name);
  if (!account) account = accounts.FindAccount(name);  // its name or its id
  if (!account || !accounts.MayActFor(request.identity.account_id, account->id))
    return std::nullopt;
  return account->id;
}

Task<http::Response> ServeGit(git::Repositories& repositories,
                              accounts::Accounts& accounts,
                              const http::KeyLookup& keys,
                              http::Request& request) {
  const std::string key = GitKeyOf(request);
  auto identity = key.empty() ? std::nullopt : keys(key);
  if (!identity) co_return AskForKey();
  if (auto refused = http::RefuseTooMany(keys, *identity, RefuseGitRequest))
    co_return *std::move(refused);
  request.identity = *std::move(identity);
  auto account_id = AccountOfRepository(accounts, request);
  std::string rest(request.Parameter("rest"));
  if (!account_id) co_return NoSuchRepository();
  if (rest == "info/refs" && request.Query("service")) {
    Status made = co_await repositories.Make(*account_id);
    if (!made) co_return http::Text(503, made.error().message + "\n");
  }
  co_return co_await repositories.Serve(*account_id, std::move(rest), request);
}

http::Router RoutesOfGit(const http::Handler& serve) {
  http::Router router;
  for (std::string_view method : {"GET", "POST"})
    router.Add(method, "/git/{repository}/{rest...}", serve);
  return router;
}

}  // namespace

http::Router GitRoutes(git::Repositories& repositories,
                       accounts::Accounts& accounts,
                       const http::KeyLookup& keys) {
  return RoutesOfGit([&repositories, &accounts, keys](http::Request& request) {
    return ServeGit(repositories, accounts, keys, request);
  });
}

http::Router UnavailableGitRoutes(std::string why) {
  return RoutesOfGit(http::AlwaysError(503, std::move(why), RenderGitError));
}

http::Response RenderGitError(int status, std::string message, const http::Request&) {
  return http::Text(status, std::move(message) + "\n");
}

bool IsGitStreamed(const http::Request& request) {
  std::string_view path = request.path;
  return request.method == "POST" && path.starts_with("/git/") &&
         (path.ends_with("/git-upload-pack") || path.ends_with("/git-receive-pack"));
}

}  // namespace viv::recoup
