#pragma once
// The body of a request that is handled while it arrives. It belongs to the connection, which asks
// it at the end of the answer whether another request can follow. Internal to the server.

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

  // From here on the answer's bytes are on the wire: the client is not invited to send any more.
  Task<void> BeginResponse();

  // Whether another request may follow this body, as far as can be told before the answer.
  bool may_keep_alive() const;

  // Ends all reading, also that of readers who were left behind; to be called before this goes
  // away.
  Task<void> Stop();

  // Stops, and takes away what little is left: whether another request can follow.
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
