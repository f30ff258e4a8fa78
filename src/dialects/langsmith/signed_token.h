#pragma once
// JSON Web Tokens (HS256) that are signed with the server's secret. They are self-contained:
// nothing about them is stored. A token that was signed for one purpose is invalid for any other.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/sealer.h"
#include "base/json.h"

namespace viv::langsmith {

enum class TokenPurpose { kService, kDownload };

// `claims` and a random "jti", which makes every token another one.
std::string SignToken(const accounts::Sealer& sealer, TokenPurpose purpose, json::object claims);

// The claims, if the signature is valid. The caller checks the expiration.
std::optional<json::value> OpenToken(const accounts::Sealer& sealer,
                                     TokenPurpose purpose,
                                     std::string_view token);

// By "exp", in seconds since 1970; one without it never ends.
bool IsTokenExpired(const json::value& claims, std::int64_t now_ms);

// The "exp" of a token that shall hold for so long from now; rounded up to a whole second.
std::int64_t TokenEnd(std::int64_t now_ms, std::int64_t seconds);

}  // namespace viv::langsmith
