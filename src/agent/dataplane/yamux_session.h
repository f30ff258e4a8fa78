#pragma once
// The server's side of a yamux session, without I/O: the caller passes received bytes in and sends
// the output. The peer opens streams. The number of streams, the window of each and the queued
// output are limited; writers wait while the output is full. Used from one thread.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agent/dataplane/yamux.h"
#include "agent/dataplane/yamux_stream.h"
#include "agent/process/notifier.h"

namespace viv::agent {

class YamuxSession {
 public:
  using OnStream = std::function<void(std::shared_ptr<YamuxStream>)>;
  static constexpr std::size_t kStreamsMax = 256;

  explicit YamuxSession(OnStream on_stream);
  ~YamuxSession();

  // Handles received bytes. False when they violate the protocol: the session has ended, and its
  // GoAway frame is in the output.
  bool Receive(std::string_view bytes);
  bool Break(std::string error);                       // ends it for that; false
  const std::string& error() const { return error_; }  // what broke it

  // What is to be sent next, whole frames of at most 32 KiB; empty when there is nothing.
  std::string TakeOutput();
  Notifier& changed() {
    return changed_;
  }  // there is output, there is room for more, or the session has ended
  bool is_full() const { return output_bytes_ >= kOutputBytesMax; }
  bool is_flooded() const { return output_bytes_ >= 2 * kOutputBytesMax; }  // by answers to pings

  void Ping();
  // Resets half-closed streams that have been idle since then.
  void ResetIdle(Notifier::Time silent_since);
  // Resets all streams, telling the peer why.
  void End(std::uint32_t reason);

  bool ended() const { return ended_; }
  // The peer opens no more streams, and all streams have ended.
  bool is_done() const { return ended_ || (peer_goes_away_ && streams_.empty()); }
  std::size_t streams() const { return streams_.size(); }

 private:
  friend class YamuxStream;
  static constexpr std::size_t kOutputBytesMax = 512 * 1024;

  void Queue(const YamuxHeader& header, std::string_view data = {});
  void Remove(std::uint32_t id);

  bool HandleFrame(const YamuxHeader& header);
  bool HandleStreamFrame(const YamuxHeader& header);
  bool OpenStream(const YamuxHeader& header);
  void HandleFlags(const YamuxHeader& header);
  std::shared_ptr<YamuxStream> Find(std::uint32_t id) const;

  OnStream on_stream_;
  YamuxParser parser_;
  std::map<std::uint32_t, std::shared_ptr<YamuxStream>> streams_;
  std::shared_ptr<YamuxStream> receiving_;  // whose data comes; none: it is passed over
  std::deque<std::string> output_;          // frames
  std::size_t output_bytes_ = 0;
  std::uint32_t pings_ = 0;
  Notifier changed_;
  std::string error_;
  bool peer_goes_away_ = false;
  bool ended_ = false;
};

}  // namespace viv::agent
