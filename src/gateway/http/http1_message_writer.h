#pragma once
// Writes an HTTP/1.1 message: the head, which may wait for the first piece of the body so that one
// write sends both, and the body in its announced framing. Heads are zeroized once they are sent,
// because they may contain secrets.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "gateway/http/http1_head.h"
#include "http/transport.h"

namespace viv::gateway {

class MessageWriter {
 public:
  // Errors name the other side by `peer`. The transport outlives this.
  MessageWriter(http::Transport& transport, std::string peer)
      : transport_(transport), peer_(std::move(peer)) {}
  ~MessageWriter() { WipeHead(); }
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;

  void Begin(std::string head, BodyFraming framing);  // writes nothing yet
  Task<Status> Flush();                               // writes the head
  Task<Status> Write(std::string piece);
  Task<Status> Finish(http::Headers trailers);  // kUnavailable: the body is too short

  bool started() const { return started_; }
  bool complete() const { return finished_ && !failed_; }

 private:
  Task<Status> Put(std::string lead, std::string piece, std::string tail);
  void WipeHead();

  http::Transport& transport_;
  const std::string peer_;
  std::string head_;
  BodyFraming framing_;
  std::uint64_t bytes_left_ = 0;
  bool started_ = false;
  bool finished_ = false;
  bool failed_ = false;
};

}  // namespace viv::gateway
