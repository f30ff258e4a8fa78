#include "tools/archive/archive_input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errno_error.h"

namespace viv::tools {
namespace {

constexpr std::size_t kInputBlock = 256 << 10;
constexpr std::size_t kTarBlock = 512;
// A packed byte may stand for this many, beyond a first allowance. Our own packer makes 1 out of up
// to 230 zeros.
constexpr std::uint64_t kRatioMax = 300;
constexpr std::uint64_t kRatioFree = 64 << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib: gzip only

tl::unexpected<Error> Damaged(std::string_view how) {
  return Fail(ErrorCode::kInvalidArgument, "the archive is damaged: " + std::string(how));
}

}  // namespace

ArchiveInput::ArchiveInput(int fd) : fd_(fd), in_(kInputBlock, '\0') {}

ArchiveInput::~ArchiveInput() {
  if (zip_open_) inflateEnd(&zip_);
}

Status ArchiveInput::Fill() {
  if (in_at_ > 0) {
    std::memmove(in_.data(), in_.data() + in_at_, in_end_ - in_at_);
    in_end_ -= in_at_;
    in_at_ = 0;
  }
  while (!file_ended_ && in_end_ < in_.size()) {
    const ssize_t got = ::read(fd_, in_.data() + in_end_, in_.size() - in_end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno(ErrorCode::kInternal, "read the archive");
    file_ended_ = got == 0;
    in_end_ += static_cast<std::size_t>(got);
    packed_ += static_cast<std::uint64_t>(got);
    if (in_end_ >= kTarBlock) break;  // a pipe gives little at a time; that is enough to go on
  }
  return {};
}

Status ArchiveInput::Begin() {
  RETURN_IF_ERROR(Fill());
  if (in_end_ == 0) return Fail(ErrorCode::kInvalidArgument, "the archive is empty");
  const bool zipped = in_end_ >= 2 && in_[0] == '\x1f' && in_[1] == '\x8b';
  form_ = zipped ? Form::kGzip : Form::kPlain;
  if (!zipped) return {};
  if (inflateInit2(&zip_, kGzipWindow) != Z_OK)
    return Fail(ErrorCode::kInternal, "unzip the archive: out of memory");
  zip_open_ = in_member_ = true;
  out_.resize(kInputBlock);
  return {};
}

// Behind a gzip member another one may follow, or zeros up to the end of a tape's block.
Status ArchiveInput::AfterMember() {
  in_member_ = false;
  for (;;) {
    if (in_end_ - in_at_ < 2) RETURN_IF_ERROR(Fill());
    while (in_at_ < in_end_ && in_[in_at_] == '\0') ++in_at_;
    if (in_at_ < in_end_) break;
    if (file_ended_) {
      over_ = true;
      return {};
    }
  }
  if (in_end_ - in_at_ < 2) RETURN_IF_ERROR(Fill());
  if (in_end_ - in_at_ < 2 || in_[in_at_] != '\x1f' || in_[in_at_ + 1] != '\x8b')
    return Damaged("something else follows the gzip file");
  if (inflateReset(&zip_) != Z_OK) return Fail(ErrorCode::kInternal, "unzip the archive");
  in_member_ = true;
  return {};
}

Result<std::string_view> ArchiveInput::NextUnzipped() {
  for (;;) {
    if (!in_member_) RETURN_IF_ERROR(AfterMember());
    if (over_) return std::string_view();
    if (in_at_ == in_end_) RETURN_IF_ERROR(Fill());
    if (in_at_ == in_end_) return Damaged("it is cut off");
    zip_.next_in = reinterpret_cast<Bytef*>(in_.data() + in_at_);
    zip_.avail_in = static_cast<uInt>(in_end_ - in_at_);
    zip_.next_out = reinterpret_cast<Bytef*>(out_.data());
    zip_.avail_out = static_cast<uInt>(out_.size());
    const int got = inflate(&zip_, Z_NO_FLUSH);
    in_at_ = in_end_ - zip_.avail_in;
    const std::size_t made = out_.size() - zip_.avail_out;
    if (got == Z_STREAM_END) {
      in_member_ = false;
    } else if (got != Z_OK && got != Z_BUF_ERROR) {
      return Damaged(zip_.msg != nullptr ? zip_.msg : "it is no gzip file");
    }
    if (made > 0) return std::string_view(out_).substr(0, made);
  }
}

Result<std::string_view> ArchiveInput::Next() {
  if (form_ == Form::kUnknown) RETURN_IF_ERROR(Begin());
  std::string_view piece;
  if (over_) return piece;
  if (form_ == Form::kGzip) {
    ASSIGN_OR_RETURN(piece, NextUnzipped());
  } else {
    if (in_at_ == in_end_) RETURN_IF_ERROR(Fill());
    piece = std::string_view(in_).substr(in_at_, in_end_ - in_at_);
    in_at_ = in_end_;
  }
  if (piece.empty()) {
    over_ = true;
    return piece;
  }
  unpacked_ += piece.size();
  if (unpacked_ > kRatioFree && unpacked_ / kRatioMax > packed_)
    return Fail(ErrorCode::kInvalidArgument,
                "the archive unfolds to far more than its size: more than " +
                    std::to_string(kRatioMax) + " to 1");
  KeepTail(piece);
  return piece;
}

void ArchiveInput::KeepTail(std::string_view piece) {
  if (piece.size() >= kTarBlock) {
    tail_ = piece.substr(piece.size() - kTarBlock);
    return;
  }
  tail_ += piece;
  if (tail_.size() > kTarBlock) tail_.erase(0, tail_.size() - kTarBlock);
}

Status ArchiveInput::Finish() {
  for (;;) {
    ASSIGN_OR_RETURN(std::string_view piece, Next());
    if (piece.empty()) break;
  }
  const bool zeros = std::all_of(tail_.begin(), tail_.end(), [](char c) { return c == '\0'; });
  if (tail_.size() < kTarBlock || !zeros) return Damaged("it is cut off");
  return {};
}

}  // namespace viv::tools
