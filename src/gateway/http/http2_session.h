#pragma once
// An HTTP/2 connection toward a guest or an origin, on libnghttp2. One coroutine reads the
// transport and feeds nghttp2, another one writes the output of nghttp2. The two subclasses differ
// in who opens streams (http2_guest, http2_origin).
//
// Memory is bounded: 256 KiB of a stream's body and 2 MiB of all bodies are buffered, then the peer
// has to wait; at most 128 streams; 64 KiB for a head. A connection is closed if its peer floods it
// with frames that cost us more than the peer (resets, pings, settings, empty frames, endless
// heads). Everything runs on one thread; coroutines never run inside nghttp2.

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
  std::chrono::milliseconds idle_timeout{75'000};  // of a guest's connection without a request
  // How long a stream on which a task waits may make no progress.
  std::chrono::milliseconds stream_timeout{300'000};
  std::chrono::milliseconds write_timeout{60'000};  // without progress
  std::chrono::milliseconds close_timeout{2'000};
  // If a request was answered before its end, this much of the rest is read and discarded, because
  // some clients take a reset of the stream for a failure although they have their response.
  std::size_t drain_bytes = 64 << 20;
};

class Http2Session : public std::enable_shared_from_this<Http2Session> {
 public:
  virtual ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  asio::any_io_executor executor() const { return executor_; }
  const Http2Options& options() const { return options_; }
  const std::string& peer() const { return peer_; }  // "the guest" or "the origin", for messages

  // Called by streams:
  void Consume(std::int32_t id, std::size_t bytes);  // gives the bytes back to the peer's windows
  void Resume(std::int32_t id);                      // the stream has something to send
  void Reset(std::int32_t id, std::uint32_t code);

 protected:
  enum class Side { kGuest, kOrigin };
  Http2Session(Side side, http::Transport& transport, Http2Options options);

  // Runs the connection to its end: sends GOAWAY if possible, ends all streams and closes the
  // transport.
  Task<void> RunConnection(std::string already_read);
  // End the connection: with an error after the pending output, in an orderly way, or at once.
  void Terminate(std::uint32_t code);
  void StartClose();
  void AbortConnection();
  bool no_new_streams() const { return no_new_streams_; }  // no stream can be opened any more
  void Wake() { to_send_.Notify(); }

  Result<std::shared_ptr<Http2Stream>> SubmitRequest(const Http2Fields& fields, Http2Body body);
  Status SubmitResponse(Http2Stream& stream, const Http2Fields& fields, Http2Body body);
  Status SubmitInterim(Http2Stream& stream, const Http2Fields& fields);

  // Implemented by the two sides:
  virtual bool AcceptsStream() { return false; }  // whether the peer may open one more stream
  virtual void OnRequest(std::shared_ptr<Http2Stream>) {}
  virtual void OnMalformed(const Http2Stream&) {}      // the stream is reset because of its head
  virtual void OnConnectionError(std::string_view) {}  // the connection ends because of it
  virtual void AfterFeed() {}  // nghttp2 has processed the bytes that arrived

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
  bool no_new_streams_ = false;  // it ends, or must not be used for new streams
  bool failed_ = false;          // nothing can be read or written any more
  bool closing_ = false;         // we stopped reading to close the connection
  bool flushing_ = false;        // the writer ends once it has nothing to send
  bool peer_closed_ = false;     // the peer has closed its side
};

}  // namespace viv::gateway
