#include "tools/archive/gzip_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/archive/beneath.h"

namespace viv::tools {
namespace {

constexpr std::size_t kPieceBytes = 512 << 10;
constexpr std::size_t kDictionaryBytes = 32 << 10;
constexpr std::size_t kPiecesMax = 8;  // so much memory, and no more
constexpr int kLightest = 1;
constexpr int kRawDeflate = -15;

Status WriteWhole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return FailArchiveCall("write the archive", errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

void AppendLittle(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift);
}

}  // namespace

GzipOutput::GzipOutput(int fd) : fd_(fd), digest_(crc32(0, nullptr, 0)) {
  filling_.reserve(kPieceBytes);
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  for (unsigned i = 0; i < count; ++i) workers_.emplace_back([this] { Work(); });
}

GzipOutput::~GzipOutput() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for_workers_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void GzipOutput::Compress(Piece& piece) {
  piece.digest = crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(piece.input.data()),
                       static_cast<uInt>(piece.input.size()));
  z_stream zip{};
  if (deflateInit2(&zip, kLightest, Z_DEFLATED, kRawDeflate, 9, Z_DEFAULT_STRATEGY) != Z_OK) return;
  if (!piece.dictionary.empty())
    deflateSetDictionary(&zip, reinterpret_cast<const Bytef*>(piece.dictionary.data()),
                         static_cast<uInt>(piece.dictionary.size()));
  // The bound is for a whole stream; a flush in its place needs a few bytes more.
  piece.output.resize(deflateBound(&zip, piece.input.size()) + 64);
  zip.next_in = reinterpret_cast<Bytef*>(piece.input.data());
  zip.avail_in = static_cast<uInt>(piece.input.size());
  zip.next_out = reinterpret_cast<Bytef*>(piece.output.data());
  zip.avail_out = static_cast<uInt>(piece.output.size());
  const int got = deflate(&zip, piece.last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool whole = piece.last ? got == Z_STREAM_END : got == Z_OK && zip.avail_in == 0;
  piece.output.resize(whole ? piece.output.size() - zip.avail_out : 0);
  deflateEnd(&zip);
}

void GzipOutput::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    for_workers_.wait(lock, [this] { return stopping_ || taken_ < pieces_.size(); });
    if (stopping_) return;
    std::shared_ptr<Piece> piece = pieces_[taken_++];
    lock.unlock();
    Compress(*piece);
    lock.lock();
    piece->done = true;
    for_writer_.notify_one();
  }
}

Status GzipOutput::WriteFront() {
  std::shared_ptr<Piece> piece;
  {
    std::unique_lock lock(mutex_);
    for_writer_.wait(lock, [this] { return pieces_.front()->done; });
    piece = std::move(pieces_.front());
    pieces_.pop_front();
    --taken_;
  }
  if (piece->output.empty()) return Fail(ErrorCode::kInternal, "compress the archive: no memory");
  digest_ = crc32_combine(digest_, piece->digest, static_cast<z_off_t>(piece->input.size()));
  return WriteWhole(fd_, piece->output);
}

Status GzipOutput::Submit(bool last) {
  if (!begun_) {
    begun_ = true;
    // Deflate, no name, no time, fastest, unix.
    RETURN_IF_ERROR(WriteWhole(fd_, std::string_view("\x1f\x8b\x08\0\0\0\0\0\x04\x03", 10)));
  }
  auto piece = std::make_shared<Piece>();
  size_ += filling_.size();
  piece->input = std::move(filling_);
  piece->dictionary = std::move(dictionary_);
  piece->last = last;
  const std::size_t kept = std::min(piece->input.size(), kDictionaryBytes);
  dictionary_ = piece->input.substr(piece->input.size() - kept);
  filling_.clear();
  filling_.reserve(kPieceBytes);
  std::size_t waiting = 0;
  {
    std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    waiting = pieces_.size();
  }
  for_workers_.notify_one();
  for (; waiting > (last ? 0 : kPiecesMax); --waiting) RETURN_IF_ERROR(WriteFront());
  return {};
}

Status GzipOutput::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kPieceBytes - filling_.size());
    filling_ += part;
    bytes.remove_prefix(part.size());
    if (filling_.size() == kPieceBytes) RETURN_IF_ERROR(Submit(false));
  }
  return {};
}

Status GzipOutput::Finish() {
  RETURN_IF_ERROR(Submit(true));
  std::string trailer;
  AppendLittle(trailer, static_cast<std::uint32_t>(digest_));
  AppendLittle(trailer, static_cast<std::uint32_t>(size_));
  return WriteWhole(fd_, trailer);
}

}  // namespace viv::tools
