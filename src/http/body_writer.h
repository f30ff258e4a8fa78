#pragma once
// A body that streams out, a response's or a request's: in chunks, or as plain bytes up to the
// Content-Length or to the end of the connection.

#include <cstdint>
#include <string>

#include "http/message.h"
#include "http/response_writer.h"
#include "http/transport.h"

namespace viv::http {

class StreamWriter : public BodyWriter {
 public:
  struct Shape {
    Framing framing = Framing::kChunked;
    std::uint64_t body_bytes = 0;  // with kLength: the Content-Length
  };
  StreamWriter(Transport& transport, Transport::Duration timeout, Shape shape)
      : transport_(transport), timeout_(timeout), shape_(shape), bytes_left_(shape.body_bytes) {}

  Task<Status> Write(std::string piece) override;
  void Abort() override { aborted_ = true; }

  Task<bool> End();  // writes what ends the body, if anything does

  bool is_aborted() const { return aborted_; }

  // True when the connection must be closed so that the client sees that the body is incomplete.
  bool is_incomplete() const {
    return aborted_ || failed_ || (shape_.framing == Framing::kLength && bytes_left_ > 0);
  }

 private:
  Transport& transport_;
  const Transport::Duration timeout_;
  const Shape shape_;
  std::uint64_t bytes_left_;
  bool failed_ = false;
  bool aborted_ = false;
};

// Writes everything, without waiting if the socket's buffer takes it all.
Task<bool> WritePieces(Transport& transport, Transport::Pieces pieces, Transport::Duration timeout);

}  // namespace viv::http
