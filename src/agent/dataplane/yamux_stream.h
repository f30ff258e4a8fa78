#pragma once
// One stream of a yamux session: bytes both ways, with a FIN for each direction and flow control by
// windows. One coroutine reads and one writes. The object outlives its entry in the session: after
// that nothing can be written, but received bytes can still be read.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/dataplane/yamux.h"
#include "agent/process/notifier.h"
#include "base/result.h"
#include "base/task.h"

namespace viv::agent {

class YamuxSession;

class YamuxStream {
 public:
  YamuxStream(YamuxSession& session, std::uint32_t id) : session_(&session), id_(id) {}
  YamuxStream(const YamuxStream&) = delete;
  YamuxStream& operator=(const YamuxStream&) = delete;

  // The bytes received since; empty after the peer's FIN. kUnavailable when the stream was reset,
  // or when nothing arrives until the deadline. Consumed returns the bytes to the receive window.
  Task<Result<std::string>> Read(Notifier::Time deadline = Notifier::Time::max());
  void Consumed(std::size_t count);

  // Waits for room at the peer and in the session. kUnavailable when the stream was reset.
  Task<Status> Write(std::string bytes);
  void Finish();  // sends FIN

  void Reset();   // at once, both directions; sends RST
  void Forget();  // removes its entry in the session; written bytes are still sent

  // Called once when the stream is reset by either side or with the session.
  void OnReset(std::function<void()> call) { on_reset_ = std::move(call); }

  std::uint32_t id() const { return id_; }
  bool reset() const { return reset_; }

 private:
  friend class YamuxSession;
  Notifier::Time last_use() const { return last_use_; }
  bool half_closed() const { return finished_ != peer_finished_; }
  // Called by the session. False when the peer violates the protocol.
  bool ChargeReceiveWindow(std::uint32_t count);
  void Receive(std::string_view bytes);
  bool GrowSendWindow(std::uint32_t count);
  void PeerFinished();
  void ResetSilently();  // without sending RST
  void Detach() { session_ = nullptr; }
  void RemoveIfClosed();
  void Touch() { last_use_ = std::chrono::steady_clock::now(); }

  YamuxSession* session_;  // nullptr once it has no place there
  const std::uint32_t id_;
  Notifier changed_;
  std::string received_;
  std::uint32_t receive_window_ = kYamuxWindowBytes;
  std::uint32_t consumed_ = 0;  // not given back yet
  std::uint64_t send_window_ = kYamuxWindowBytes;
  bool finished_ = false;
  bool peer_finished_ = false;
  bool reset_ = false;
  Notifier::Time last_use_ = std::chrono::steady_clock::now();
  std::function<void()> on_reset_;
};

}  // namespace viv::agent
