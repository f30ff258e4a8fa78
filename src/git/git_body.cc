#include "git/git_body.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace viv::git {
namespace {

constexpr std::size_t kUnpackedPieceBytes = 256 * 1024;
constexpr int kGzipWindow = 15 + 16;  // zlib's value for gzip alone

tl::unexpected<Error> BrokenGzip() {
  return Fail(ErrorCode::kInvalidArgument, "the request's gzip encoding is broken");
}

}  // namespace

struct GitBody::Inflater {
  z_stream stream{};
  bool ended = false;
};

void GitBody::EndInflater::operator()(Inflater* inflater) const {
  ::inflateEnd(&inflater->stream);
  delete inflater;
}

Result<GitBody> GitBody::Open(http::Request& request, std::uint64_t bytes_max) {
  GitBody body;
  body.received_left_ = bytes_max;
  body.bytes_left_ = bytes_max;
  body.reader_ = request.body_stream;
  body.whole_ = std::move(request.body);
  const std::string encoding = ToLower(Trim(request.headers.Get("content-encoding")));
  if (encoding.empty() || encoding == "identity") return body;
  if (encoding != "gzip" && encoding != "x-gzip")
    return Fail(ErrorCode::kInvalidArgument, "Content-Encoding: gzip or none is expected");
  auto inflater = std::make_unique<Inflater>();
  if (::inflateInit2(&inflater->stream, kGzipWindow) != Z_OK)
    return Fail(ErrorCode::kUnavailable, "no memory to unpack the request");
  body.inflater_.reset(inflater.release());
  return body;
}

Task<Result<std::string>> GitBody::Receive() {
  if (reader_ != nullptr) co_return co_await reader_->Read();
  co_return std::exchange(whole_, {});
}

tl::unexpected<Error> GitBody::TooLarge() {
  return Fail(ErrorCode::kLimitExceeded, "the request is too large");
}

Result<std::string> GitBody::Unpack() {
  z_stream& stream = inflater_->stream;
  std::string piece(kUnpackedPieceBytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(received_.data() + taken_);
  stream.avail_in = static_cast<uInt>(received_.size() - taken_);
  stream.next_out = reinterpret_cast<Bytef*>(piece.data());
  stream.avail_out = static_cast<uInt>(piece.size());
  const int outcome = ::inflate(&stream, Z_NO_FLUSH);
  taken_ = received_.size() - stream.avail_in;
  piece.resize(piece.size() - stream.avail_out);
  if (outcome == Z_STREAM_END) {
    inflater_->ended = true;
    if (taken_ < received_.size()) return BrokenGzip();
  } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
    return BrokenGzip();
  }
  return piece;
}

Task<Result<std::string>> GitBody::Next() {
  for (;;) {
    std::string piece;
    // A full piece may have left more behind, inside of zlib too: it is asked before the client is.
    if (inflater_ && !inflater_->ended && !received_.empty()) {
      ASSIGN_OR_CO_RETURN(piece, Unpack());
    }
    if (piece.empty()) {
      if (at_end_) co_return std::string();
      ASSIGN_OR_CO_RETURN(std::string bytes, co_await Receive());
      if (bytes.size() > received_left_) co_return TooLarge();
      received_left_ -= bytes.size();
      at_end_ = bytes.empty();
      if (inflater_) {
        if (at_end_ && !inflater_->ended) co_return BrokenGzip();
        if (!at_end_ && inflater_->ended) co_return BrokenGzip();
        received_ = std::move(bytes);
        taken_ = 0;
        continue;
      }
      if (at_end_) co_return std::string();
      piece = std::move(bytes);
    }
    if (piece.size() > bytes_left_) co_return TooLarge();
    bytes_left_ -= piece.size();
    co_return piece;
  }
}

}  // namespace viv::git
