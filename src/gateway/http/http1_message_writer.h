#pragma once
// A message on its way out in HTTP/1.1: the head, which may wait for the first piece so that both
// go in one write, and the body as its head announced it. Heads are wiped once they are sent, for
// they may have secrets.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "gateway/http/http1_head.h"
#include "http/transport.h"

namespace viv::gateway {

class MessageWriter {
 public:
  // `peer` is how errors call the other side. The transport outlives this.
  MessageWriter(http::Transport& transport, std::string peer)
      : transport_(transport), peer_(std::move(peer)) {}
  ~MessageWriter() { WipeHead(); }
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;

  void Begin(std::string head, BodyFraming framing);  // nothing is written yet
  Task<Status> Flush();                               // the head
  Task<Status> Write(std::string piece);
  Task<Status> Finish(http::Headers trailers);  // kUnavailable when the body is too short

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
