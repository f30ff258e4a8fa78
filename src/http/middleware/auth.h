#pragma once
// Finds out who calls: the key comes as "Authorization: Bearer KEY" or "X-API-Key: KEY". What a
// missing or wrong key is answered is each dialect's own.

#include <functional>
#include <optional>
#include <string_view>

#include "http/deferred_body.h"
#include "http/message.h"

namespace viv::http {

// Who has the key, and after how many seconds the caller may come again when it sends more
// requests than it may (nothing: now; not set: always).
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

// Counts the request for its account; the answer when it is one too many, with Retry-After. Part of
// Auth; for those who look up keys themselves.
std::optional<Response> RefuseTooMany(const KeyLookup& lookup,
                                      const Identity& identity,
                                      const AuthRenderer& render);

// The key a request carries; empty when it has none.
std::string_view KeyOf(const Request& request);

}  // namespace viv::http
