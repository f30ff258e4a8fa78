#include "http/takeover_stream.h"

#include <utility>

#include "http/body_writer.h"

namespace viv::http {
namespace {

constexpr std::size_t kTakenReadBytes = 64 * 1024;

}  // namespace

TakeoverStream::TakeoverStream(Transport& transport,
                               ReadBuffer& buffer,
                               const ServerOptions& options)
    : transport_(transport),
      buffer_(buffer),
      options_(options),
      operations_(transport.executor()) {}

Task<Result<std::string>> TakeoverStream::Read() {
  if (closed_) co_return Fail(ErrorCode::kUnavailable, "the connection is closed");
  OperationCounter::Entry entry(operations_);
  if (buffer_.empty()) {
    char* into = buffer_.Prepare(kTakenReadBytes);
    if (write_closed_) transport_.ExpireReadAfter(options_.idle_timeout);
    std::size_t count = co_await transport_.Read(into, kTakenReadBytes);
    transport_.ExpireReadNever();
    buffer_.Commit(count);
    if (count == 0 && transport_.read_failed()) {
      co_return Fail(ErrorCode::kUnavailable, "the connection broke");
    }
  }
  std::string bytes(buffer_.data());
  buffer_.Consume(bytes.size());
  co_return bytes;
}

Task<Status> TakeoverStream::Write(std::string bytes) {
  if (closed_ || write_closed_) co_return Fail(ErrorCode::kUnavailable, "the connection is closed");
  if (bytes.empty()) co_return Status();
  OperationCounter::Entry entry(operations_);
  Transport::Pieces pieces{bytes};
  bool written = co_await WritePieces(transport_, pieces, options_.write_timeout);
  if (!written) co_return Fail(ErrorCode::kUnavailable, "the connection broke");
  co_return Status();
}

// A peer that has seen the end of our stream has a limited time to end its own, also when a Read is
// already pending.
void TakeoverStream::CloseWrite() {
  if (closed_ || std::exchange(write_closed_, true)) return;
  transport_.CloseWrite();
  if (!operations_.idle()) transport_.ExpireReadAfter(options_.idle_timeout);
}

Task<void> TakeoverStream::CancelAndWait() {
  closed_ = true;
  if (operations_.idle()) co_return;
  transport_.Cancel();
  co_await operations_.WaitUntilIdle();
}

}  // namespace viv::http
