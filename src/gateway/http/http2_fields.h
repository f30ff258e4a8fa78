#pragma once
// Converts the heads of messages between HTTP/2's field lists and the form that the gateway
// forwards. nghttp2 has already checked what arrives (names in lower case, pseudo-headers once and
// first, no connection-specific fields). What could still be read in two ways is refused here.

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

// Why a request is rejected, as the guest gets it.
struct Http2Problem {
  int status = 400;
  std::string message;
};

tl::expected<RequestHead, Http2Problem> Http2RequestHead(Http2Fields fields, Http2Body body);
Result<ResponseHead> Http2ResponseHead(Http2Fields fields, Http2Body body);
http::Headers Http2Trailers(Http2Fields fields);

// kInvalidArgument: a part of the head cannot be sent without changing its meaning.
Result<Http2Fields> ToHttp2Fields(const RequestHead& head, std::string_view scheme);
// Fields of a response or of trailers that cannot be sent are left out.
Http2Fields ToHttp2Fields(const ResponseHead& head);
Http2Fields ToHttp2Fields(const http::Headers& trailers);

// The size of a field as HTTP/2 counts it (RFC 9113, 6.5.2).
inline std::size_t Http2FieldBytes(std::string_view name, std::string_view value) {
  return name.size() + value.size() + 32;
}

// Whether a field of a request may be stored in the HPACK table of the connection. Fields that may
// be secret are sent as literals without indexing.
bool MayBeIndexed(std::string_view name);

}  // namespace viv::gateway
