#pragma once
// One stream of a yamux session: bytes both ways, each way ended by itself, and no more under way
// than the reader has room for. One coroutine reads and one writes. It outlives its place in the
// session: once that is gone, nothing can be written, and what had come is still read.

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

  // What has come since; empty at the peer's end. kUnavailable when the stream was reset, or when
  // nothing comes until the deadline. The room is given back with Consumed.
  Task<Result<std::string>> Read(Notifier::Time deadline = Notifier::Time::max());
  void Consumed(std::size_t count);

  // Waits for room at the peer and in the session. kUnavailable when the stream was reset.
  Task<Status> Write(std::string bytes);
  void Finish();  // nothing more will be written

  void Reset();   // at once, both ways; the peer is told
  void Forget();  // its place in the session is given up; what was written still goes out

  // Called once when the stream is reset by either side or with the session.
  void OnReset(std::function<void()> call) { on_reset_ = std::move(call); }

  std::uint32_t id() const { return id_; }
  bool reset() const { return reset_; }

 private:
  friend class YamuxSession;
  Notifier::Time last_use() const { return last_use_; }
  bool half_closed() const { return finished_ != peer_finished_; }
  // By the session: whether the peer kept to what it may do.
  bool ChargeReceiveWindow(std::uint32_t count);
  void Receive(std::string_view bytes);
  bool GrowSendWindow(std::uint32_t count);
  void PeerFinished();
  void ResetSilently();  // without a word to the peer
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
