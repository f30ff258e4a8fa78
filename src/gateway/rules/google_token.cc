#include "gateway/rules/google_token.h"

#include <algorithm>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "gateway/rules/header_check.h"

namespace viv::gateway {
namespace {

constexpr std::int64_t kAssertionSeconds = 3600;
constexpr std::int64_t kRenewedBeforeSeconds = 300;
constexpr std::int64_t kTokenSecondsMax = 12 * 3600;
constexpr std::string_view kGoogleEndpoint = "https://oauth2.googleapis.com/token";

tl::unexpected<Error> BadAccount(std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              "the service account " + std::string(why) +
                  ": set it to the JSON key file that Google gives out");
}

}  // namespace

Result<TokenRequest> GoogleTokenRequest(std::string_view service_account,
                                        const std::vector<std::string>& scopes,
                                        std::int64_t unix_seconds) {
  Result<json::value> account = ParseJson(service_account);
  if (!account) return BadAccount("is no JSON");
  std::string_view email = FindString(*account, "client_email");
  std::string_view endpoint = FindString(*account, "token_uri");
  if (endpoint.empty()) endpoint = kGoogleEndpoint;
  if (email.empty()) return BadAccount("has no client_email");
  if (!endpoint.starts_with("https://")) return BadAccount("has a token_uri that is not https://");
  KeyPtr key = KeyOfPem(FindString(*account, "private_key"));
  if (key == nullptr) return BadAccount("has no readable private_key");
  std::string scope;
  for (const std::string& one : scopes) scope.append(scope.empty() ? "" : " ").append(one);
  json::object claims{{"iss", email},
                      {"scope", scope},
                      {"aud", endpoint},
                      {"iat", unix_seconds},
                      {"exp", unix_seconds + kAssertionSeconds}};
  Result<std::string> assertion =
      SignJwt(*key, FindString(*account, "private_key_id"), std::move(claims));
  if (!assertion) return BadAccount("has a private_key that is no RSA key");
  return TokenRequest{std::string(endpoint),
                      "grant_type=" + PercentEncode("urn:ietf:params:oauth:grant-type:jwt-bearer") +
                          "&assertion=" + PercentEncode(*assertion)};
}

Result<HeadersWithTtl> ReadGoogleToken(const PostResponse& response) {
  if (response.status != 200)
    return Fail(ErrorCode::kUnavailable,
                "the token endpoint answered with status " + std::to_string(response.status) +
                    ": is the service account enabled, and may it have these scopes?");
  Result<json::value> read = ParseJson(response.body);
  std::string_view token = read ? FindString(*read, "access_token") : "";
  if (token.empty() || !IsHeaderValue(token))
    return Fail(ErrorCode::kUnavailable, "the token endpoint's answer has no access_token");
  const json::value* lasts = Find(*read, "expires_in");
  std::int64_t seconds = lasts != nullptr && lasts->is_int64() ? lasts->get_int64() : 0;
  seconds = std::clamp<std::int64_t>(seconds, 0, kTokenSecondsMax);
  HeadersWithTtl fetched;
  fetched.headers.Add("Authorization", "Bearer " + std::string(token));
  fetched.ttl = std::chrono::seconds(std::max<std::int64_t>(0, seconds - kRenewedBeforeSeconds));
  return fetched;
}

Task<Result<HeadersWithTtl>> FetchGoogleToken(std::shared_ptr<CallbackClient> client,
                                              std::shared_ptr<const ZeroizedString> service_account,
                                              std::vector<std::string> scopes) {
  ASSIGN_OR_CO_RETURN(TokenRequest request,
                      GoogleTokenRequest(service_account->text(), scopes, NowMs() / 1000));
  http::Headers headers;
  headers.Add("Content-Type", "application/x-www-form-urlencoded");
  headers.Add("Accept", "application/json");
  ASSIGN_OR_CO_RETURN(
      PostResponse posted,
      co_await client->PostTo(std::move(request.url), std::move(headers), std::move(request.form)));
  co_return ReadGoogleToken(posted);
}

}  // namespace viv::gateway
