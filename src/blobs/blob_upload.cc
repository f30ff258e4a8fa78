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

Task<Status> AppendPiece(BlockingPool& pool, BlobDraft& draft, std::string piece) {
  auto write = [&draft, &piece] { return draft.Append(piece); };
  Status written = co_await pool.Run(write);
  co_return written;
}

// Takes the body from its byte `skip` on, `most` bytes at most.
struct Stretch {
  std::uint64_t skip = 0;
  std::uint64_t most = kBlobBytesMax;
};
Task<Status> TakeBody(BlockingPool& pool, http::Request& request, BlobDraft& draft, Stretch part) {
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
    Status appended = co_await AppendPiece(pool, draft, std::move(*piece));
    if (!appended) co_return appended;
  }
}

std::uint64_t AnnouncedLength(const http::Request& request) {
  const std::string_view text = request.headers.Get("content-length");
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

http::Response Arrived(std::uint64_t size) {
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
class Blobs::Turn {
 public:
  Turn(Blobs& blobs, std::string name) : blobs_(blobs), name_(std::move(name)) {
    std::lock_guard lock(blobs_.mutex_);
    mine_ = blobs_.in_pieces_.insert(name_).second;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!mine_) return;
    std::lock_guard lock(blobs_.mutex_);
    blobs_.in_pieces_.erase(name_);
  }
  bool mine() const { return mine_; }

 private:
  Blobs& blobs_;
  const std::string name_;
  bool mine_ = false;
};

Task<http::Response> Blobs::Put(http::Request& request) {
  auto name = Allowed(request);
  if (!name) co_return BlobFailure(name.error());
  const std::uint64_t announced = AnnouncedLength(request);
  if (announced > kBlobBytesMax)
    co_return BlobFailure(413, "too_large",
                          "an object has at most " + std::to_string(kBlobBytesMax) + " bytes");
  if (request.headers.Has("content-range")) co_return co_await PutPiece(request, *name);
  auto draft = store_.NewDraft(*name);
  if (!draft) co_return BlobFailure(draft.error());
  if (Status room = draft->Announce(announced); !room) co_return BlobFailure(room.error());
  Status taken = co_await TakeBody(pool_, request, *draft, Stretch());
  if (!taken) co_return BlobFailure(taken.error());
  Status kept = store_.Keep(std::move(*draft), *name);
  if (!kept) co_return BlobFailure(kept.error());
  co_return co_await Finished(std::move(*name));
}

Task<http::Response> Blobs::Finished(BlobName name) {
  auto then = then_.find(name.leaf);
  if (then != then_.end()) {
    Status used = co_await then->second(name);
    if (!used) {
      store_.Remove(name);
      co_return BlobFailure(used.error());
    }
  }
  co_return http::Empty(200);
}

Task<http::Response> Blobs::PutPiece(http::Request& request, BlobName name) {
  const auto range = ReadContentRange(request.headers.Get("content-range"));
  if (!range)
    co_return BlobFailure(400, "bad_range", "Content-Range must be \"bytes FIRST-LAST/TOTAL\"");
  if (range->total.value_or(0) > kBlobBytesMax)
    co_return BlobFailure(413, "too_large",
                          "an object has at most " + std::to_string(kBlobBytesMax) + " bytes");
  Turn turn(*this, name.Text());
  if (!turn.mine())
    co_return BlobFailure(409, "conflict", "another piece of this object is being received");
  const bool anew = range->span && range->span->first == 0;
  auto draft =
      store_.ContinueDraft(name, anew ? BlobStore::Begin::kAnew : BlobStore::Begin::kWhereItEnded);
  if (!draft) co_return BlobFailure(draft.error());
  if (!range->span) {  // only asks
    const bool whole = range->total && draft->size() == 0 &&
                       SizeOf(store_.OpenToRead(name)) == *range->total && *range->total > 0;
    if (draft->size() > 0) draft->Leave();
    co_return whole ? http::Empty(200) : Arrived(draft->size());
  }
  // A gap: the client learns where to go on.
  const std::uint64_t first = range->span->first, size = draft->size();
  if (first > size || first + range->span->count <= size) {
    if (size > 0) draft->Leave();
    co_return Arrived(size);
  }
  Stretch part{size - first, range->span->count - (size - first)};
  if (Status room = draft->Announce(part.most); !room) {
    if (size > 0) draft->Leave();
    co_return BlobFailure(room.error());
  }
  Status taken = co_await TakeBody(pool_, request, *draft, part);
  const std::uint64_t arrived = draft->size();
  if (!taken || !range->total || arrived < *range->total) {
    draft->Leave();
    co_return taken ? Arrived(arrived) : BlobFailure(taken.error());
  }
  Status kept = store_.Keep(std::move(*draft), name);
  if (!kept) co_return BlobFailure(kept.error());
  co_return co_await Finished(std::move(name));
}

}  // namespace viv::blobs
