#pragma once
// Converts the heads of HTTP/1.1 messages from and to the form that the gateway forwards:
// hop-by-hop headers are removed from what it reads and generated for what it writes.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gateway/http/exchange.h"
#include "http/message.h"
#include "http/response_parser.h"
#include "http/response_writer.h"

namespace viv::gateway {

// How the end of a message's body is found.
struct BodyFraming {
  http::Framing kind = http::Framing::kNoBody;
  std::uint64_t bytes = 0;  // for kLength
};

// `request` has a complete head. kInvalidArgument: it names two different hosts.
Result<RequestHead> ReadRequestHead(const http::Request& request);
// Headers for the next hop; of a 101 its Upgrade is kept.
http::Headers ReadResponseHeaders(const http::ResponseHead& head);

BodyFraming FramingOfRequest(const RequestHead& head);
// kInvalidArgument: a header cannot be written without changing the meaning of the message.
Status AppendRequestHead(std::string& out, const RequestHead& head, BodyFraming framing);

// The request and the connection that the response is for.
struct ResponseContext {
  bool http_1_1 = true;
  bool keep_alive = true;
  bool asked_for_head = false;
};
BodyFraming FramingOfResponse(const ResponseHead& head, const ResponseContext& context);
void AppendResponseHead(std::string& out,
                        const ResponseHead& head,
                        BodyFraming framing,
                        const ResponseContext& context);
// Appends the end of a chunked body.
void AppendLastChunk(std::string& out, const http::Headers& trailers);

}  // namespace viv::gateway
