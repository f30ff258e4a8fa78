#pragma once
// Heads of messages between the field lists of HTTP/2 and the form that the gateway passes on.
// What arrives has passed nghttp2's checks of HTTP messaging (names in lower case, pseudo fields
// once and first, nothing that is for one connection); what could still be read in two ways is
// refused here.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "base/result.h"
#include "gateway/http/exchange.h"
#include "http/message.h"

namespace viv::gateway {

using Http2Fields = std::vector<std::pair<std::string, std::string>>;

enum class Http2Body { kNone, kFollows };

// Why a request is not served, as the guest is told.
struct Http2Problem {
  int status = 400;
  std::string message;
};

tl::expected<RequestHead, Http2Problem> Http2RequestHead(Http2Fields fields, Http2Body body);
Result<ResponseHead> Http2ResponseHead(Http2Fields fields, Http2Body body);
http::Headers Http2Trailers(Http2Fields fields);

// kInvalidArgument when a part of the head cannot be sent without becoming something else.
Result<Http2Fields> ToHttp2Fields(const RequestHead& head, std::string_view scheme);
// What cannot be sent of an answer or of trailers is left out.
Http2Fields ToHttp2Fields(const ResponseHead& head);
Http2Fields ToHttp2Fields(const http::Headers& trailers);

// What the size of a field list is reckoned by (RFC 9113, 6.5.2).
inline std::size_t Http2FieldBytes(std::string_view name, std::string_view value) {
  return name.size() + value.size() + 32;
}

// Whether a field of a request may stay in the compression table of the connection. What may be a
// secret is sent for this once, and kept nowhere.
bool MayBeIndexed(std::string_view name);

}  // namespace viv::gateway
