#pragma once
// What a relay makes of the heads of messages that pass through it: headers that are meant for one
// hop only are taken out and made anew.

#include <cstdint>
#include <optional>
#include <string>

#include "http/message.h"
#include "http/relay.h"
#include "http/response_parser.h"

namespace viv::http {

struct RelayedBody {
  enum class Kind { kNone, kLength, kChunked };
  Kind kind = Kind::kNone;
  std::uint64_t bytes = 0;  // with kLength
};
RelayedBody BodyOf(const Request& request);

bool WantsUpgrade(const Request& request);

// Whether a header of that name lists the token.
bool HasHeaderToken(const Headers& headers, std::string_view name, std::string_view token);
// For one hop only: by its nature, or because Connection says so.
bool IsHopByHopHeader(const Headers& headers, std::string_view name);

std::string RelayedRequestHead(const Request& request,
                               const RelayOptions& options,
                               RelayedBody body);

// `head` without the headers of its hop, for the client.
Headers RelayedResponseHeaders(const ResponseHead& head);

}  // namespace viv::http
