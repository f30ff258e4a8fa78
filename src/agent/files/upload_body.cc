#include "agent/files/upload_body.h"

#include <algorithm>
#include <optional>

#include "agent/files/content_coding.h"
#include "agent/files/yield.h"

namespace viv::agent {
namespace {

constexpr std::size_t kUploadPieceBytes = 1024 * 1024;
constexpr std::size_t kSkippedBytesMax = 4 * 1024 * 1024;
constexpr std::uint64_t kInflatedBytesMax = 64ULL << 30U;

}  // namespace

FileResult<UploadBody> UploadBody::Open(http::Request& request) {
  std::string_view encoding = request.headers.Get("content-encoding");
  std::optional<ContentCoding> coding = ParseContentEncoding(encoding);
  if (!coding) {
    return FailFileWith(EINVAL, "error decompressing request body: unsupported Content-Encoding: " +
                                    std::string(encoding) + ", supported: [gzip]");
  }
  UploadBody body(request);
  if (*coding == ContentCoding::kGzip) body.gzip_ = std::make_unique<GzipReader>(kInflatedBytesMax);
  return body;
}

Task<Result<std::string>> UploadBody::Next() {
  if (!gzip_) {
    Result<std::string> piece = co_await NextAsSent();
    co_return piece;
  }
  for (;;) {
    Result<std::string> inflated = gzip_->Next();
    if (!inflated) co_return PassUp(inflated.error(), "error decompressing request body");
    if (!inflated->empty()) {
      co_await Yield();  // a small body can inflate for long
      co_return inflated;
    }
    Result<std::string> piece = co_await NextAsSent();
    if (!piece) co_return piece;
    if (piece->empty()) {
      if (gzip_->complete()) co_return std::string();
      co_return Fail(ErrorCode::kInvalidArgument,
                     "error decompressing request body: gzip: unexpected end");
    }
    gzip_->Feed(*std::move(piece));
  }
}

Task<Result<std::string>> UploadBody::NextAsSent() {
  if (request_->body_stream != nullptr) {
    Result<std::string> piece = co_await request_->body_stream->Read();
    co_return piece;
  }
  std::string piece =
      request_->body.substr(std::min(at_, request_->body.size()), kUploadPieceBytes);
  at_ += piece.size();
  if (at_ > kUploadPieceBytes) co_await Yield();
  co_return piece;
}

Task<void> SkipRest(http::Request& request) {
  if (request.body_stream == nullptr) co_return;
  std::size_t skipped = 0;
  while (skipped < kSkippedBytesMax) {
    Result<std::string> piece = co_await request.body_stream->Read();
    if (!piece || piece->empty()) co_return;
    skipped += piece->size();
  }
}

}  // namespace viv::agent
