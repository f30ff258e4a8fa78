#pragma once
// Finds out who calls: the key comes as "Authorization: Bearer KEY" or "X-API-Key: KEY". What a
// missing or wrong key is answered is each dialect's own.

#include <functional>
#include <optional>
#include <string_view>

#include "http/deferred_body.h"
#include "http/message.h"

namespace viv::http {

// Finds the identity of a key. `admit` returns after how many seconds an account that exceeds its
// rate may send its next request; nothing: it may send now; not set: there is no limit.
struct KeyLookup : std::function<std::optional<Identity>(std::string_view key)> {
  using function::function;
  std::function<std::optional<int>(std::string_view account_id)> admit;
};

enum class AuthFailure { kMissing, kInvalid, kTooManyRequests };
inline constexpr std::string_view kTooManyRequests =
    "this account sends more requests per second than it may: send fewer, or wait as long as "
    "Retry-After says";
using AuthRenderer = std::function<Response(AuthFailure failure)>;

// Bodies of callers without a key are not read; those of others within `limits`.
Middleware Auth(KeyLookup lookup, AuthRenderer render, BodyLimits limits = {});

// Counts the request for its account; returns the response, with Retry-After, when the account
// exceeds its rate. Auth calls it; callers that look up keys themselves call it too.
std::optional<Response> RefuseTooMany(const KeyLookup& lookup,
                                      const Identity& identity,
                                      const AuthRenderer& render);

// The key a request carries; empty when it has none.
std::string_view KeyOf(const Request& request);

}  // namespace viv::http
