#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.h"
#include "blobs/blob_errors.h"
#include "blobs/blob_ranges.h"
#include "blobs/blob_routes.h"

namespace viv::blobs {
namespace {

constexpr std::uint64_t kSendBytes = 512 << 10;

// A part of an open file; it may be unlinked meanwhile.
struct FileSpan {
  UniqueFd file;
  ByteRange span;
};

std::string ReadSpan(const FileSpan& from, std::uint64_t done) {
  std::string piece(std::min(kSendBytes, from.span.count - done), '\0');
  const ssize_t got = ::pread(from.file.get(), piece.data(), piece.size(),
                              static_cast<off_t>(from.span.first + done));
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return piece;
}

Task<void> SendFile(BlockingPool& pool, std::shared_ptr<FileSpan> from, http::BodyWriter& writer) {
  for (std::uint64_t done = 0; done < from->span.count;) {
    auto read = [&from, done] { return ReadSpan(*from, done); };
    std::string piece = co_await pool.Run(read);
    if (piece.empty()) {
      writer.Abort();
      co_return;
    }
    done += piece.size();
    Status sent = co_await writer.Write(std::move(piece));
    if (!sent) co_return;
  }
}

std::string EtagOf(const struct stat& status) {
  return fmt::format("\"{:x}-{:x}{:09x}\"", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

bool HasTag(std::string_view list, std::string_view etag) {
  for (std::string_view one : Split(list, ',')) {
    one = Trim(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || one == etag) return true;
  }
  return false;
}

}  // namespace

Task<http::Response> Blobs::Get(http::Request& request) {
  auto name = CheckSignedUrl(request);
  if (!name) co_return BlobErrorResponse(name.error());
  auto file = store_.OpenToRead(*name);
  if (!file) co_return BlobErrorResponse(file.error());
  struct stat status {};
  if (::fstat(file->get(), &status) != 0)
    co_return BlobErrorResponse(500, "internal", "the server failed; try again");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::string etag = EtagOf(status);
  http::Response response;
  response.headers.Set("ETag", etag);
  response.headers.Set("Accept-Ranges", "bytes");
  response.headers.Set("Cache-Control", "private, no-transform");
  response.headers.Set("X-Content-Type-Options", "nosniff");
  const std::string_view none = request.headers.Get("if-none-match");
  if (!none.empty() && HasTag(none, etag)) {
    response.status = 304;
    co_return response;
  }
  const std::string_view same = request.headers.Get("if-range");
  RangeChoice range;
  if (same.empty() || same == etag) range = ChooseRange(request.headers.Get("range"), size);
  if (range.kind == RangeChoice::Kind::kUnsatisfiable) {
    http::Response refused = BlobErrorResponse(416, "bad_range", "the object has no such bytes");
    refused.headers.Set("Content-Range", fmt::format("bytes */{}", size));
    co_return refused;
  }
  ByteRange span{0, size};
  if (range.kind == RangeChoice::Kind::kPart) {
    span = range.span;
    response.status = 206;
    response.headers.Set("Content-Range", fmt::format("bytes {}-{}/{}", span.first,
                                                      span.first + span.count - 1, size));
  }
  response.headers.Set("Content-Type", "application/gzip");
  response.headers.Set("Content-Length", std::to_string(span.count));
  auto from = std::make_shared<FileSpan>(FileSpan{std::move(*file), span});
  response.stream = [&pool = pool_, from](http::BodyWriter& writer) {
    return SendFile(pool, from, writer);
  };
  co_return response;
}

}  // namespace viv::blobs
