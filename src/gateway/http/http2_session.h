#pragma once
// A connection that speaks HTTP/2, toward a guest or toward an origin, on libnghttp2. It pumps: one
// coroutine reads the transport and feeds nghttp2, another one writes what nghttp2 has to send. The
// sides differ in who begins streams (http2_guest, http2_origin).
//
// Memory is bounded: 256 KiB of a stream's body and 2 MiB of all streams' bodies are held unread,
// then the peer has to wait; 128 streams; 64 KiB of a head. A peer that floods the connection with
// frames that cost us more than it (resets, pings, settings, empty frames, endless heads) loses it.
// One thread; coroutines never run inside nghttp2.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "gateway/http/http2_fields.h"
#include "gateway/http/http2_rate_limit.h"
#include "gateway/http/http2_signal.h"
#include "gateway/http/http2_stream.h"
#include "http/transport.h"

struct nghttp2_session;

namespace viv::gateway {

inline constexpr std::size_t kHttp2StreamsMax = 128;
inline constexpr std::size_t kHttp2StreamWindow = 256 * 1024;
inline constexpr std::size_t kHttp2ConnectionWindow = 2 << 20;
inline constexpr std::size_t kHttp2ResetsMax = 200;       // in ten seconds
inline constexpr std::size_t kHttp2ControlsMax = 10'000;  // in ten seconds

struct Http2Options {
  std::chrono::milliseconds idle_timeout{75'000};     // a guest's connection without a request
  std::chrono::milliseconds stream_timeout{300'000};  // of a stream on which somebody waits
  std::chrono::milliseconds write_timeout{60'000};    // for each step forward
  std::chrono::milliseconds close_timeout{2'000};
  // So much of a request that was answered before its end is read and forgotten, for there are
  // clients that take the reset of the stream for a failure although they have their answer.
  std::size_t drain_bytes = 64 << 20;
};

class Http2Session : public std::enable_shared_from_this<Http2Session> {
 public:
  virtual ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  asio::any_io_executor executor() const { return executor_; }
  const Http2Options& options() const { return options_; }
  const std::string& peer() const { return peer_; }  // "the guest", for messages

  // For streams.
  void Consume(std::int32_t id, std::size_t bytes);  // the peer may send as much again
  void Resume(std::int32_t id);                      // there is something to send
  void Reset(std::int32_t id, std::uint32_t code);

 protected:
  enum class Side { kGuest, kOrigin };
  Http2Session(Side side, http::Transport& transport, Http2Options options);

  // Serves the connection to its end: says goodbye if that is possible, ends all streams and closes
  // the transport.
  Task<void> RunConnection(std::string already_read);
  // Ends the connection: after what is to be sent, soon with no more than a goodbye, or at once.
  void Terminate(std::uint32_t code);
  void StartClose();
  void AbortConnection();
  bool no_new_streams() const { return no_new_streams_; }  // no new stream has a chance
  void Wake() { to_send_.Notify(); }

  Result<std::shared_ptr<Http2Stream>> SubmitRequest(const Http2Fields& fields, Http2Body body);
  Status SubmitResponse(Http2Stream& stream, const Http2Fields& fields, Http2Body body);
  Status SubmitInterim(Http2Stream& stream, const Http2Fields& fields);

  // What the sides do with what arrives.
  virtual bool AcceptsStream() { return false; }  // one more stream of the peer's
  virtual void OnRequest(std::shared_ptr<Http2Stream>) {}
  virtual void OnMalformed(const Http2Stream&) {}  // a request whose stream is reset for its head
  virtual void OnConnectionError(std::string_view) {}  // of the connection, which ends for it
  virtual void AfterFeed() {}  // nghttp2 is done with the bytes that arrived

  http::Transport& transport_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;

 private:
  friend struct Http2Callbacks;

  void SubmitSettings();
  Task<void> ReadLoop(std::string already_read);
  bool Feed(std::string_view bytes);
  Task<void> WriteLoop();
  void StartWriter();
  bool FillOutput();
  Task<void> FinishClose();
  void CloseStreams(std::string reason);
  Http2Stream* Find(std::int32_t id);
  void CountReset();
  void CountControl();

  const asio::any_io_executor executor_;
  const Side side_;
  const Http2Options options_;
  const std::string peer_;
  std::string output_;
  Http2Signal to_send_;
  Http2Signal writer_end_;
  Http2RateLimit resets_{kHttp2ResetsMax};
  Http2RateLimit controls_{kHttp2ControlsMax};
  bool writer_ended_ = false;
  bool no_new_streams_ = false;  // ends, or must not be used for anything new
  bool failed_ = false;          // nothing more can be read or written
  bool closing_ = false;         // reading has ended because we go
  bool flushing_ = false;        // the writer ends once it has nothing to send
  bool peer_closed_ = false;     // its end of the stream was read
};

}  // namespace viv::gateway
