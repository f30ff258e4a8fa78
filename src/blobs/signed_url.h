#pragma once
// URLs that need no key: who has one may do one thing (PUT or GET) with one blob until it expires.
// All of that is under a signature; nothing is stored.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "blobs/blob_name.h"
#include "http/message.h"

namespace viv::blobs {

inline constexpr std::int64_t kUrlMinutes = 30;

// A keyed digest of a text, in hexadecimal digits.
using Signer = std::function<std::string(std::string_view message)>;

enum class UrlMethod { kPut, kGet };

// "BASE/blobs/OBJECT?method=PUT&expires=SECONDS&signature=HEX"; the times are since 1970.
std::string SignUrl(const Signer& signer,
                    const std::string& base_url,
                    const BlobName& name,
                    UrlMethod what,
                    std::int64_t now_ms);

enum class UrlCheck { kValid, kExpired, kInvalid };
// HEAD is as good as GET. A URL for one is wrong for the other, and for every other object.
UrlCheck CheckUrl(const Signer& signer, const http::Request& request, std::int64_t now_ms);

}  // namespace viv::blobs
