#pragma once
// The body of a request that is handled while it arrives. The connection owns it, and asks after
// the response whether another request can follow. Internal to the server.

#include <cstddef>
#include <optional>
#include <string>

#include "http/message.h"
#include "http/operation_counter.h"
#include "http/read_buffer.h"
#include "http/request_parser.h"
#include "http/server.h"
#include "http/transport.h"

namespace viv::http {

class RequestBody : public BodyReader {
 public:
  enum class Extent { kEmpty, kFollows };
  struct Source {  // all of it the connection's
    Transport& transport;
    ReadBuffer& buffer;
    RequestParser& parser;  // its head is done
    const ServerOptions& options;
  };
  RequestBody(Source source, Extent extent);

  Task<Result<std::string>> Read() override;

  // Called before the first byte of the response is sent: from then on no "100 Continue" is sent.
  Task<void> BeginResponse();

  // Whether another request may follow this body, as far as can be told before the response.
  bool may_keep_alive() const;

  // Ends all reads, also those that the handler left pending. Must be called before the destructor.
  Task<void> Stop();

  // Stops, and reads a short rest of the body. Returns whether another request can follow.
  Task<bool> Finish();

  bool complete() const { return complete_; }

 private:
  enum class FeedResult { kPiece, kEnd, kNeedsMore };
  Result<FeedResult> Feed();
  Task<bool> SendContinue();
  Task<Status> Receive();
  Error Broken(ErrorCode code, std::string message);

  const Source source_;
  OperationCounter reads_;
  OperationCounter continue_write_;
  bool continue_due_;
  bool response_begun_ = false;
  bool closed_ = false;
  bool complete_;
  std::optional<Error> failure_;
};

}  // namespace viv::http
