#pragma once
// Finds out who calls: the key comes as "Authorization: Bearer KEY" or "X-API-Key: KEY". What a
// missing or wrong key is answered is each dialect's own.

#include <functional>
#include <optional>
#include <string_view>

#include "http/message.h"
#include "http/pending_body.h"

namespace viv::http {

using KeyLookup = std::function<std::optional<Identity>(std::string_view key)>;

enum class AuthFailure { kMissing, kInvalid };
using AuthRenderer = std::function<Response(AuthFailure failure)>;

// Bodies of callers without a key are not read; those of others within `limits`.
Middleware Auth(KeyLookup lookup, AuthRenderer render, BodyLimits limits = {});

// The key a request carries; empty when it has none.
std::string_view KeyOf(const Request& request);

}  // namespace viv::http
