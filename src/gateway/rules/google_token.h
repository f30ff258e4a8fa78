#pragma once
// Gets an access token for Google's APIs with a service account's key: a JWT that the account signs
// is exchanged for a token at its token endpoint. Internal to this module.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/crypto.h"
#include "gateway/rules/header_cache.h"

namespace viv::gateway {

struct TokenRequest {
  std::string url;   // of the token endpoint; always https
  std::string form;  // has the signed assertion
};
// `service_account` is the JSON file that Google issues. kInvalidArgument says what is wrong with
// it, without repeating any of it.
Result<TokenRequest> GoogleTokenRequest(std::string_view service_account,
                                        const std::vector<std::string>& scopes,
                                        std::int64_t unix_seconds);

// The Authorization header from the endpoint's response, valid until five minutes before the token
// expires.
Result<HeadersWithTtl> ReadGoogleToken(const PostResponse& response);

Task<Result<HeadersWithTtl>> FetchGoogleToken(std::shared_ptr<CallbackClient> client,
                                              std::shared_ptr<const ZeroizedString> service_account,
                                              std::vector<std::string> scopes);

}  // namespace viv::gateway
