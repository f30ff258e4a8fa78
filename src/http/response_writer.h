#pragma once
// The status line and headers of a response as text. Framing headers (length, encoding, connection)
// are the server's own: those that a handler set are left out, because two that disagree break a
// connection.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace viv::http {

enum class Framing {
  kLength,    // Content-Length
  kChunked,   // a body of unknown length
  kUntilEnd,  // the end of the connection ends the body
  kNoBody,    // the status allows none
};

struct HeadOptions {
  bool http_1_1 = true;
  bool keep_alive = true;
  Framing framing = Framing::kLength;
  std::uint64_t body_bytes = 0;
  std::string_view date = {};  // "Sun, 06 Nov 1994 08:49:37 GMT"
};

void AppendHead(std::string& out, const Response& response, const HeadOptions& head);

// The status line and every header as the handler set it, for a response that takes the connection
// over.
void AppendVerbatimHead(std::string& out, const Response& response);

// The Content-Length that a handler set.
std::optional<std::uint64_t> PromisedLength(const Response& response);

// Whether the header can be written without becoming something else: a line break in a value would
// start a header of the attacker's choice.
bool IsSafeHeader(std::string_view name, std::string_view value);

std::string_view ReasonPhrase(int status);  // empty when unknown
bool StatusHasBody(int status);             // not 1xx, 204, 304
std::string HttpDate(std::int64_t unix_seconds);

}  // namespace viv::http
