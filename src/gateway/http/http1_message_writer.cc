#include "gateway/http/http1_message_writer.h"

#include <fmt/format.h>
#include <string.h>

#include <utility>

#include "http/body_writer.h"

namespace viv::gateway {
namespace {

constexpr http::Transport::Duration kMessageWriteTimeout{300'000};  // without any progress

}  // namespace

void MessageWriter::Begin(std::string head, BodyFraming framing) {
  head_ = std::move(head);
  framing_ = framing;
  bytes_left_ = framing.bytes;
  started_ = true;
}

Task<Status> MessageWriter::Flush() {
  if (head_.empty()) co_return Status();
  std::string head = std::exchange(head_, {}), none, end;
  co_return co_await Put(std::move(head), std::move(none), std::move(end));
}

Task<Status> MessageWriter::Write(std::string piece) {
  if (piece.empty()) co_return Status();  // an empty chunk would end the body
  std::string lead = std::exchange(head_, {});
  std::string tail;
  if (framing_.kind == http::Framing::kChunked) {
    lead += fmt::format("{:x}\r\n", piece.size());
    tail = "\r\n";
  } else if (framing_.kind != http::Framing::kUntilEnd) {
    if (piece.size() > bytes_left_) {
      failed_ = true;
      co_return Fail(ErrorCode::kInvalidArgument, "the body is longer than its Content-Length");
    }
    bytes_left_ -= piece.size();
  }
  co_return co_await Put(std::move(lead), std::move(piece), std::move(tail));
}

Task<Status> MessageWriter::Finish(http::Headers trailers) {
  if (framing_.kind == http::Framing::kLength && bytes_left_ > 0) {
    failed_ = true;
    co_return Fail(ErrorCode::kUnavailable, "the body is shorter than its Content-Length");
  }
  std::string lead = std::exchange(head_, {});
  if (framing_.kind == http::Framing::kChunked) AppendLastChunk(lead, trailers);
  std::string none, end;
  if (!lead.empty()) {
    CO_RETURN_IF_ERROR(co_await Put(std::move(lead), std::move(none), std::move(end)));
  }
  finished_ = true;
  co_return Status();
}

Task<Status> MessageWriter::Put(std::string lead, std::string piece, std::string tail) {
  if (std::exchange(failed_, true)) {  // until the write has succeeded: half of it may be written
    co_return Fail(ErrorCode::kUnavailable, peer_ + " went away");
  }
  http::Transport::Pieces pieces{lead, piece, tail};
  bool written = co_await http::WritePieces(transport_, pieces, kMessageWriteTimeout);
  failed_ = !written;
  explicit_bzero(lead.data(), lead.size());
  if (!written) co_return Fail(ErrorCode::kUnavailable, peer_ + " went away");
  co_return Status();
}

void MessageWriter::WipeHead() {
  explicit_bzero(head_.data(), head_.size());
}

}  // namespace viv::gateway
