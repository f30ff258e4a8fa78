#include "agent/files/gzip.h"

#include <zlib.h>

#include <vector>

#include "base/check.h"

namespace viv::agent {
namespace {

constexpr std::size_t kInflatedPieceBytes = 256 * 1024;
constexpr int kGzipWindow = 15 + 16;  // zlib's way of saying gzip with the largest window

unsigned char* ZlibBytes(const char* bytes) {
  return reinterpret_cast<unsigned char*>(const_cast<char*>(bytes));  // zlib does not write there
}

}  // namespace

class GzipWriter::Stream {
 public:
  // The fastest level: the agent has one thread, and a slow client is cheaper than a busy box.
  Stream() {
    CHECK(deflateInit2(&z_, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Stream() { deflateEnd(&z_); }
  z_stream z_{};
};

GzipWriter::GzipWriter() : stream_(std::make_unique<Stream>()) {}
GzipWriter::~GzipWriter() = default;

std::string GzipWriter::Add(std::string_view bytes) {
  return Run(bytes, Z_NO_FLUSH);
}

std::string GzipWriter::Finish() {
  return Run({}, Z_FINISH);
}

std::string GzipWriter::Run(std::string_view bytes, int flush) {
  z_stream& z = stream_->z_;
  z.next_in = ZlibBytes(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  do {
    char piece[16 * 1024];
    z.next_out = ZlibBytes(piece);
    z.avail_out = sizeof piece;
    status = deflate(&z, flush);
    CHECK(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR);
    out.append(piece, sizeof piece - z.avail_out);
  } while (z.avail_out == 0);
  return out;
}

class GzipReader::Stream {
 public:
  Stream() : out_(kInflatedPieceBytes) { CHECK(inflateInit2(&z_, kGzipWindow) == Z_OK); }
  ~Stream() { inflateEnd(&z_); }
  z_stream z_{};
  std::vector<char> out_;  // kept, for input may come byte by byte
};

GzipReader::GzipReader(std::uint64_t bytes_max)
    : stream_(std::make_unique<Stream>()), bytes_left_(bytes_max) {}
GzipReader::~GzipReader() = default;

void GzipReader::Feed(std::string bytes) {
  input_ = std::move(bytes);
  stream_->z_.next_in = ZlibBytes(input_.data());
  stream_->z_.avail_in = static_cast<uInt>(input_.size());
}

Result<std::string> GzipReader::Next() {
  z_stream& z = stream_->z_;
  std::vector<char>& out = stream_->out_;
  z.next_out = ZlibBytes(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  while (z.avail_out > 0) {
    if (complete_) {
      if (z.avail_in == 0) break;
      complete_ = false;  // a further member, as `cat a.gz b.gz` makes them
      CHECK(inflateReset(&z) == Z_OK);
    }
    int status = inflate(&z, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      complete_ = true;
    } else if (status == Z_BUF_ERROR || (status == Z_OK && z.avail_in == 0)) {
      if (z.avail_out > 0) break;  // all that this input gives
    } else if (status != Z_OK) {
      return Fail(ErrorCode::kInvalidArgument,
                  std::string("gzip: ") + (z.msg != nullptr ? z.msg : "invalid data"));
    }
  }
  std::string piece(out.data(), out.size() - z.avail_out);
  if (piece.size() > bytes_left_) {
    return Fail(ErrorCode::kLimitExceeded, "gzip: the body inflates to more than is allowed");
  }
  bytes_left_ -= piece.size();
  return piece;
}

}  // namespace viv::agent
