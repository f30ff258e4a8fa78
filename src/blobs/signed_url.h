#pragma once
// URLs that need no key: each permits one method (PUT or GET) on one blob until it expires. The
// signature covers all of that; nothing is stored.

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
// A URL for GET is valid for HEAD too. It is invalid for every other method and object.
UrlCheck CheckUrl(const Signer& signer, const http::Request& request, std::int64_t now_ms);

}  // namespace viv::blobs
