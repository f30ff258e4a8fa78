#include "agent/files/file_sender.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "agent/files/gzip.h"

namespace viv::agent {
namespace {

constexpr std::size_t kSentAtOnceBytes = 256 * 1024;
constexpr std::size_t kSentPieceBytes = 128 * 1024;
constexpr std::uint64_t kUnknownSizeBytesMax = 64 * 1024 * 1024;

// Reads on from `at`, exactly `count` bytes unless the file ends.
ErrnoOr<std::string> ReadAt(int file, std::uint64_t at, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    ssize_t got =
        ::pread(file, bytes.data() + filled, count - filled, static_cast<off_t>(at + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailWithErrno();
    if (got == 0) break;
    filled += got;
  }
  bytes.resize(filled);
  return bytes;
}

struct SentFile {
  UniqueFd file;
  std::uint64_t at = 0;
  std::uint64_t left = 0;
  bool size_known = true;
  std::optional<GzipWriter> gzip;
};

// The next piece, plain; empty at the end.
ErrnoOr<std::string> NextPiece(SentFile& sent) {
  std::size_t count = std::min<std::uint64_t>(kSentPieceBytes, sent.left);
  ErrnoOr<std::string> piece = ReadAt(sent.file.get(), sent.at, count);
  if (!piece) return piece;
  sent.at += piece->size();
  sent.left -= piece->size();
  if (piece->size() < count) {
    if (sent.size_known)
      return FailWithErrno(EIO);  // the file was truncated meanwhile, and the client must see that
    sent.left = 0;
  }
  return piece;
}

Task<void> SendPieces(std::shared_ptr<SentFile> sent, http::BodyWriter& writer) {
  while (sent->left > 0) {
    ErrnoOr<std::string> piece = NextPiece(*sent);
    if (!piece) {
      writer.Abort();
      co_return;
    }
    std::string bytes = sent->gzip ? sent->gzip->Add(*piece) : *std::move(piece);
    if (bytes.empty()) continue;
    Status written = co_await writer.Write(std::move(bytes));
    if (!written) co_return;  // the client went away
  }
  if (!sent->gzip) co_return;
  std::string rest = sent->gzip->Finish();
  Status written = co_await writer.Write(std::move(rest));
  static_cast<void>(written.has_value());  // nothing follows
}

}  // namespace

FileSender::FileSender(UniqueFd file, std::uint64_t size)
    : file_(std::move(file)), count_(size), size_known_(size > 0) {}

void FileSender::Limit(std::uint64_t first, std::uint64_t count) {
  first_ = first;
  count_ = count;
}

ErrnoOr<void> FileSender::AttachTo(http::Response& response) && {
  std::uint64_t wanted = size_known_ ? count_ : kUnknownSizeBytesMax;
  std::size_t at_once = std::min<std::uint64_t>(wanted, kSentAtOnceBytes);
  ErrnoOr<std::string> start = ReadAt(file_.get(), first_, at_once);
  if (!start) return FailWithErrno(start.error());
  bool whole = start->size() == wanted || start->size() < at_once;
  if (whole) {
    GzipWriter gzip;
    response.body = gzip_ ? gzip.Add(*start) : *std::move(start);
    if (gzip_) response.body += gzip.Finish();
    return {};
  }
  auto sent = std::make_shared<SentFile>();  // std::function copies what it holds
  sent->file = std::move(file_);
  sent->at = first_;
  sent->left = wanted;
  sent->size_known = size_known_;
  if (gzip_) sent->gzip.emplace();
  response.stream = [sent](http::BodyWriter& writer) { return SendPieces(sent, writer); };
  return {};
}

}  // namespace viv::agent
