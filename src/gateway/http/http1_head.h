#pragma once
// Heads of HTTP/1.1 messages between their text and the form that the gateway passes on: what is
// for one hop only is taken out on the way in, and made anew on the way out.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gateway/http/exchange.h"
#include "http/message.h"
#include "http/response_parser.h"
#include "http/response_writer.h"

namespace viv::gateway {

// How the body of a message is told apart from what follows it.
struct BodyFraming {
  http::Framing kind = http::Framing::kNoBody;
  std::uint64_t bytes = 0;  // with kLength
};

// Of a request whose head is whole. kInvalidArgument when it names two different hosts.
Result<RequestHead> ReadRequestHead(const http::Request& request);
// Headers for the next hop; of a 101 its Upgrade is kept.
http::Headers ReadResponseHeaders(const http::ResponseHead& head);

BodyFraming FramingOfRequest(const RequestHead& head);
// kInvalidArgument when a header cannot be written without becoming something else.
Status AppendRequestHead(std::string& out, const RequestHead& head, BodyFraming framing);

// What the answer is for.
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
// What ends a chunked body.
void AppendLastChunk(std::string& out, const http::Headers& trailers);

}  // namespace viv::gateway
