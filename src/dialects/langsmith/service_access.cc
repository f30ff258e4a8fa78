#include "dialects/langsmith/service_access.h"

#include "base/base64.h"
#include "base/text.h"
#include "dialects/langsmith/service_headers.h"
#include "dialects/langsmith/signed_token.h"
#include "http/key_headers.h"
#include "http/middleware/auth.h"

namespace viv::langsmith {
namespace {

std::string_view AuthorityOfUrl(std::string_view url) {
  std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

// A browser adds cookies and passwords by itself, so requests that a page of another origin caused
// are detected.
bool IsFromElsewhere(const Context& context, const http::Request& request) {
  if (!request.headers.Has("origin")) return false;
  std::string_view from = AuthorityOfUrl(request.headers.Get("origin"));
  if (from.empty()) return true;
  return !EqualsIgnoreCase(from, request.headers.Get("host")) &&
         !EqualsIgnoreCase(from, AuthorityOfUrl(context.public_url));
}

// The key that a browser asked its user for: the password, whatever the name.
std::string BasicPassword(const http::Request& request) {
  constexpr std::string_view kBasic = "basic ";
  std::string_view given = Trim(request.headers.Get("authorization"));
  if (given.size() <= kBasic.size() || !EqualsIgnoreCase(given.substr(0, kBasic.size()), kBasic))
    return {};
  std::optional<std::string> pair = DecodeBase64(Trim(given.substr(kBasic.size())));
  if (!pair) return {};
  std::size_t colon = pair->find(':');
  return colon == std::string::npos ? std::string() : pair->substr(colon + 1);
}

std::string AccountOfKey(const Context& context, std::string_view key) {
  if (key.empty()) return {};
  auto found = context.accounts.Authenticate(key);
  return found ? found->account_id : std::string();
}

std::string SignedInAccount(const Context& context, const http::Request& request) {
  std::string account = AccountOfKey(context, http::KeyOf(request));
  if (account.empty() && !IsFromElsewhere(context, request))
    account = AccountOfKey(context, BasicPassword(request));
  return account;
}

// Of several tokens a valid one counts; otherwise "expired" is more helpful than "bad".
TokenCheck BetterToken(TokenCheck a, TokenCheck b) {
  return a < b ? a : b;
}

}  // namespace

std::string MintServiceToken(const Context& context, const Grant& grant, std::int64_t end_s) {
  json::object claims;
  claims["sub"] = grant.service.box_id;
  claims["port"] = grant.service.port;
  if (!grant.generation.empty()) claims["gen"] = grant.generation;
  claims["iat"] = context.clock() / 1000;
  claims["exp"] = end_s;
  return SignToken(context.sealer, TokenPurpose::kService, std::move(claims));
}

CheckedToken CheckServiceToken(const Context& context,
                               const Service& service,
                               std::string_view token) {
  auto claims = OpenToken(context.sealer, TokenPurpose::kService, token);
  if (!claims) return {};
  const json::value* port = Find(*claims, "port");
  const json::value* end = Find(*claims, "exp");
  bool is_ours = FindString(*claims, "sub") == service.box_id && port != nullptr &&
                 port->is_int64() && port->get_int64() == service.port && end != nullptr;
  if (!is_ours) return {};
  if (IsTokenExpired(*claims, context.clock())) return {TokenCheck::kExpired, 0};
  std::optional<Grant> grant = FindGrant(context, service);
  if (!grant || IsByLogin(*grant) || FindString(*claims, "gen") != grant->generation) return {};
  return {TokenCheck::kGood, end->get_int64() - context.clock() / 1000};
}

Admission Admit(const Context& context, const ServiceRoute& route, const http::Request& request) {
  Admission admission;
  auto try_token = [&](std::string_view token) {
    TokenCheck check = CheckServiceToken(context, route.service, token).check;
    admission.check = BetterToken(check, admission.check);
  };
  if (request.headers.Has(kServiceTokenHeader))
    try_token(Trim(request.headers.Get(kServiceTokenHeader)));
  if (admission.check != TokenCheck::kGood && !IsFromElsewhere(context, request))
    for (const std::string& cookie : ServiceCookies(request)) try_token(cookie);
  if (admission.check == TokenCheck::kGood) return admission;

  std::optional<Grant> grant = FindGrant(context, route.service);
  if (!grant || !IsByLogin(*grant)) return admission;
  admission.by_login = true;
  std::string account = SignedInAccount(context, request);
  bool is_let_in =
      account == grant->account_id || (grant->access == Grant::Access::kWorkspace &&
                                       context.accounts.MayActFor(account, grant->account_id));
  if (account.empty() || !is_let_in) return admission;
  admission.check = TokenCheck::kGood;
  admission.user_id = context.accounts.UuidOf(account);
  return admission;
}

bool CarriesOurKey(const Context& context, const http::Request& request) {
  auto is_key = [&context](std::string_view text) { return !AccountOfKey(context, text).empty(); };
  return !http::HeadersWithKeys(request, is_key).empty();
}

}  // namespace viv::langsmith
