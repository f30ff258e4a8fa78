#include "http/body_writer.h"

#include <fmt/format.h>

namespace viv::http {

Task<Status> StreamWriter::Write(std::string piece) {
  if (failed_ || aborted_) co_return Fail(ErrorCode::kUnavailable, "the client went away");
  if (piece.empty()) co_return Status();  // an empty chunk would end the body
  Transport::Pieces pieces{std::string_view(), piece, std::string_view()};
  std::string size;
  if (shape_.framing == Framing::kChunked) {
    size = fmt::format("{:x}\r\n", piece.size());
    pieces[0] = size;
    pieces[2] = "\r\n";
  } else if (shape_.framing == Framing::kLength) {
    if (piece.size() > bytes_left_) {
      failed_ = true;
      co_return Fail(ErrorCode::kInvalidArgument, "the body is longer than its Content-Length");
    }
    bytes_left_ -= piece.size();
  }
  failed_ = true;  // until proven otherwise: a cancelled write may leave half a chunk behind
  bool written = co_await WritePieces(transport_, pieces, timeout_);
  failed_ = !written;
  if (failed_) co_return Fail(ErrorCode::kUnavailable, "the client went away");
  co_return Status();
}

Task<bool> StreamWriter::End() {
  if (shape_.framing != Framing::kChunked) co_return true;
  Transport::Pieces last{"0\r\n\r\n"};
  co_return co_await WritePieces(transport_, last, timeout_);
}

Task<bool> WritePieces(Transport& transport,
                       Transport::Pieces pieces,
                       Transport::Duration timeout) {
  std::size_t total = pieces[0].size() + pieces[1].size() + pieces[2].size();
  std::size_t done = transport.TryWrite(pieces);
  if (done == total) co_return true;
  co_return co_await transport.Write(pieces, done, timeout);
}

}  // namespace viv::http
