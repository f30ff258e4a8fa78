#include <algorithm>
#include <charconv>

#include "blobs/blob_errors.h"
#include "blobs/blob_ranges.h"
#include "blobs/blob_routes.h"

namespace viv::blobs {
namespace {

// The pieces of a body, streamed or not.
class Pieces {
 public:
  explicit Pieces(http::Request& request) : request_(request) {}
  Task<Result<std::string>> Next() {
    if (request_.body_stream != nullptr) co_return co_await request_.body_stream->Read();
    co_return std::exchange(request_.body, std::string());
  }

 private:
  http::Request& request_;
};

Task<Status> AppendPiece(BlockingPool& pool, PartialBlob& partial, std::string piece) {
  auto write = [&partial, &piece] { return partial.Append(piece); };
  Status written = co_await pool.Run(write);
  co_return written;
}

// Takes the body from its byte `skip` on, `most` bytes at most.
struct BodyPart {
  std::uint64_t skip = 0;
  std::uint64_t most = kBlobBytesMax;
};
Task<Status> TakeBody(BlockingPool& pool,
                      http::Request& request,
                      PartialBlob& partial,
                      BodyPart part) {
  Pieces pieces(request);
  for (;;) {
    auto piece = co_await pieces.Next();
    if (!piece) co_return PassUp(std::move(piece).error(), "receive the object");
    if (piece->empty()) co_return Status();
    const std::uint64_t skipped = std::min<std::uint64_t>(part.skip, piece->size());
    part.skip -= skipped;
    piece->erase(0, skipped);
    if (piece->size() > part.most)
      co_return Fail(ErrorCode::kLimitExceeded, "the body is longer than announced or allowed");
    part.most -= piece->size();
    Status appended = co_await AppendPiece(pool, partial, std::move(*piece));
    if (!appended) co_return appended;
  }
}

std::uint64_t ContentLengthOf(const http::Request& request) {
  const std::string_view text = request.headers.Get("content-length");
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

http::Response IncompleteResponse(std::uint64_t size) {
  http::Response response = http::Empty(308);
  if (size > 0) response.headers.Set("Range", "bytes=0-" + std::to_string(size - 1));
  return response;
}

std::uint64_t SizeOf(const Result<UniqueFd>& file) {
  const off_t size = file ? ::lseek(file->get(), 0, SEEK_END) : 0;
  return static_cast<std::uint64_t>(std::max<off_t>(size, 0));
}

}  // namespace

// Pieces of one object are put together one at a time.
class Blobs::PieceLock {
 public:
  PieceLock(Blobs& blobs, std::string name) : blobs_(blobs), name_(std::move(name)) {
    std::lock_guard lock(blobs_.mutex_);
    acquired_ = blobs_.in_pieces_.insert(name_).second;
  }
  PieceLock(const PieceLock&) = delete;
  PieceLock& operator=(const PieceLock&) = delete;
  ~PieceLock() {
    if (!acquired_) return;
    std::lock_guard lock(blobs_.mutex_);
    blobs_.in_pieces_.erase(name_);
  }
  bool acquired() const { return acquired_; }

 private:
  Blobs& blobs_;
  const std::string name_;
  bool acquired_ = false;
};

Task<http::Response> Blobs::Put(http::Request& request) {
  auto name = CheckSignedUrl(request);
  if (!name) co_return BlobErrorResponse(name.error());
  const std::uint64_t announced = ContentLengthOf(request);
  if (announced > kBlobBytesMax)
    co_return BlobErrorResponse(
        413, "too_large", "an object has at most " + std::to_string(kBlobBytesMax) + " bytes");
  if (request.headers.Has("content-range")) co_return co_await PutPiece(request, *name);
  auto partial = store_.NewPartial(*name);
  if (!partial) co_return BlobErrorResponse(partial.error());
  if (Status room = partial->Reserve(announced); !room) co_return BlobErrorResponse(room.error());
  Status taken = co_await TakeBody(pool_, request, *partial, BodyPart());
  if (!taken) co_return BlobErrorResponse(taken.error());
  Status kept = store_.Commit(std::move(*partial), *name);
  if (!kept) co_return BlobErrorResponse(kept.error());
  co_return co_await FinishUpload(std::move(*name));
}

Task<http::Response> Blobs::FinishUpload(BlobName name) {
  auto then = on_uploaded_.find(name.leaf);
  if (then != on_uploaded_.end()) {
    Status used = co_await then->second(name);
    if (!used) {
      store_.Remove(name);
      co_return BlobErrorResponse(used.error());
    }
  }
  co_return http::Empty(200);
}

Task<http::Response> Blobs::PutPiece(http::Request& request, BlobName name) {
  const auto range = ReadContentRange(request.headers.Get("content-range"));
  if (!range)
    co_return BlobErrorResponse(400, "bad_range",
                                "Content-Range must be \"bytes FIRST-LAST/TOTAL\"");
  if (range->total.value_or(0) > kBlobBytesMax)
    co_return BlobErrorResponse(
        413, "too_large", "an object has at most " + std::to_string(kBlobBytesMax) + " bytes");
  PieceLock turn(*this, name.Text());
  if (!turn.acquired())
    co_return BlobErrorResponse(409, "conflict", "another piece of this object is being received");
  const bool anew = range->span && range->span->first == 0;
  auto partial =
      store_.OpenPartial(name, anew ? BlobStore::Resume::kFromStart : BlobStore::Resume::kFromEnd);
  if (!partial) co_return BlobErrorResponse(partial.error());
  if (!range->span) {  // only asks
    const bool whole = range->total && partial->size() == 0 &&
                       SizeOf(store_.OpenToRead(name)) == *range->total && *range->total > 0;
    if (partial->size() > 0) partial->KeepForResume();
    co_return whole ? http::Empty(200) : IncompleteResponse(partial->size());
  }
  // A gap: the client learns where to go on.
  const std::uint64_t first = range->span->first, size = partial->size();
  if (first > size || first + range->span->count <= size) {
    if (size > 0) partial->KeepForResume();
    co_return IncompleteResponse(size);
  }
  BodyPart part{size - first, range->span->count - (size - first)};
  if (Status room = partial->Reserve(part.most); !room) {
    if (size > 0) partial->KeepForResume();
    co_return BlobErrorResponse(room.error());
  }
  Status taken = co_await TakeBody(pool_, request, *partial, part);
  const std::uint64_t arrived = partial->size();
  if (!taken || !range->total || arrived < *range->total) {
    partial->KeepForResume();
    co_return taken ? IncompleteResponse(arrived) : BlobErrorResponse(taken.error());
  }
  Status kept = store_.Commit(std::move(*partial), name);
  if (!kept) co_return BlobErrorResponse(kept.error());
  co_return co_await FinishUpload(std::move(name));
}

}  // namespace viv::blobs
