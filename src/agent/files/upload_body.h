#pragma once
// Reads the body of an upload in pieces, whether the server streams it or has read it, and
// decompresses gzip.

#include <memory>
#include <string>

#include "agent/files/file_result.h"
#include "agent/files/gzip.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

class UploadBody {
 public:
  // The request outlives it. EINVAL for encodings that we do not know.
  static FileResult<UploadBody> Open(http::Request& request);

  // The next piece; empty at the end. The error is kInvalidArgument for a body that is broken and
  // kUnavailable when the client went away.
  Task<Result<std::string>> Next();

 private:
  explicit UploadBody(http::Request& request) : request_(&request) {}
  Task<Result<std::string>> NextAsSent();

  http::Request* request_;
  std::size_t at_ = 0;  // in a body that is whole
  std::unique_ptr<GzipReader> gzip_;
};

// Reads the rest of a body that is not too long: an unread body costs the client its connection,
// and perhaps the response.
Task<void> SkipRest(http::Request& request);

}  // namespace viv::agent
