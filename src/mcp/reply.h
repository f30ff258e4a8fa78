#pragma once
// The reply to a request: a response, preceded by notifications, which may still be produced.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace viv::mcp {

// A reply that arrives message by message. Destroying it cancels the request.
class ReplyStream {
 public:
  struct Line {
    std::string message;  // JSON-RPC
    bool last = false;    // the response, or empty: the request was cancelled
  };
  virtual ~ReplyStream() = default;
  virtual Task<Result<Line>> Next() = 0;  // the error is for the client to read
};

struct Reply {
  std::string body = {};                   // the JSON-RPC response, unless `stream` delivers it
  std::vector<std::string> messages = {};  // JSON-RPC notifications that come before: progress, log
  int status = 200;                        // of the HTTP response, where the transport has one
  std::int64_t retry_after_s = 0;
  bool cancelled = false;                         // the request was cancelled, and has no response
  std::shared_ptr<ReplyStream> stream = nullptr;  // shared with the stream that sends it
};

}  // namespace viv::mcp
