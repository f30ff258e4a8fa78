#include "agent/dataplane/yamux_stream.h"

#include <algorithm>
#include <utility>

#include "agent/dataplane/yamux_session.h"

namespace viv::agent {
namespace {

// A frame with its header is a WebSocket message that every client takes.
constexpr std::size_t kYamuxDataBytesMax = 32 * 1024 - kYamuxHeaderBytes;

tl::unexpected<Error> StreamIsGone() {
  return Fail(ErrorCode::kUnavailable, "the stream was reset");
}

}  // namespace

Task<Result<std::string>> YamuxStream::Read(Notifier::Time deadline) {
  for (;;) {
    if (reset_) co_return StreamIsGone();
    if (!received_.empty() || peer_finished_) co_return std::exchange(received_, {});
    if (std::chrono::steady_clock::now() >= deadline) {
      co_return Fail(ErrorCode::kUnavailable, "the stream was silent for too long");
    }
    co_await changed_.WaitUntil(deadline);
  }
}

void YamuxStream::Consumed(std::size_t count) {
  Touch();
  consumed_ += static_cast<std::uint32_t>(count);
  if (session_ == nullptr || peer_finished_ || consumed_ < kYamuxWindowBytes / 2) return;
  YamuxHeader update{YamuxType::kWindowUpdate, 0, id_, consumed_};
  receive_window_ += std::exchange(consumed_, 0);
  session_->Queue(update);
}

Task<Status> YamuxStream::Write(std::string bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (reset_ || session_ == nullptr || finished_) co_return StreamIsGone();
    if (send_window_ == 0 || session_->is_full()) {
      co_await changed_.WaitUntil(Notifier::Time::max());
      continue;
    }
    std::size_t count = std::min<std::uint64_t>(
        {bytes.size() - at, send_window_, std::uint64_t{kYamuxDataBytesMax}});
    send_window_ -= count;
    session_->Queue({YamuxType::kData, 0, id_, static_cast<std::uint32_t>(count)},
                    std::string_view(bytes).substr(at, count));
    at += count;
    Touch();
  }
  co_return Status();
}

void YamuxStream::Finish() {
  if (session_ == nullptr || std::exchange(finished_, true)) return;
  session_->Queue({YamuxType::kWindowUpdate, kYamuxFin, id_, 0});
  RemoveIfClosed();
}

void YamuxStream::Reset() {
  if (session_ != nullptr) {
    session_->Queue({YamuxType::kWindowUpdate, kYamuxRst, id_, 0});
    session_->Remove(id_);
  }
  ResetSilently();
}

void YamuxStream::Forget() {
  if (session_ != nullptr) session_->Remove(id_);
}

bool YamuxStream::ChargeReceiveWindow(std::uint32_t count) {
  if (count > receive_window_) return false;
  receive_window_ -= count;
  return true;
}

void YamuxStream::Receive(std::string_view bytes) {
  Touch();
  if (peer_finished_) return;  // it said that there would be nothing
  received_ += bytes;
  changed_.NotifyAll();
}

bool YamuxStream::GrowSendWindow(std::uint32_t count) {
  send_window_ += count;
  Touch();
  changed_.NotifyAll();
  return send_window_ <= UINT32_MAX;
}

void YamuxStream::PeerFinished() {
  Touch();
  peer_finished_ = true;
  changed_.NotifyAll();
  RemoveIfClosed();
}

void YamuxStream::RemoveIfClosed() {
  if (finished_ && peer_finished_) Forget();
}

void YamuxStream::ResetSilently() {
  if (std::exchange(reset_, true)) return;
  received_.clear();
  changed_.NotifyAll();
  if (auto call = std::exchange(on_reset_, nullptr)) call();
}

}  // namespace viv::agent
