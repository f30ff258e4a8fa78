#pragma once
// One stream of an HTTP/2 connection: the input that has arrived and is not read yet, and the
// output that is not sent yet. The peer may send as much as the stream's window, which is extended
// as the body is read here. A piece of output waits until the previous one is sent. The session
// passes what arrives; an exchange reads and sends. Used on the session's thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "gateway/http/http2_fields.h"
#include "gateway/http/http2_signal.h"
#include "http/message.h"

namespace viv::gateway {

class Http2Session;

inline constexpr std::size_t kHttp2FieldBytesMax = 64 * 1024;  // for a head or trailers
inline constexpr std::size_t kHttp2PieceBytesMax = 64 * 1024;  // of a piece that ReadBody returns

struct Http2Head {
  Http2Fields fields;
  Http2Body body = Http2Body::kNone;
  bool too_large = false;  // the fields were discarded
};

class Http2Stream {
 public:
  Http2Stream(Http2Session& session, std::int32_t id);  // the session outlives this

  std::int32_t id() const { return id_; }
  bool closed() const { return closed_; }  // nothing can be sent any more
  const Error& failure() const { return failure_; }
  bool input_ended() const { return input_ended_; }  // everything has arrived
  // Everything was passed in, but may not be sent yet.
  bool output_ended() const { return output_ended_; }
  bool received_any() const { return received_any_; }  // the peer sent something
  // Whether it was closed before the peer sent anything: refused, so certainly not processed, or
  // lost with the connection.
  bool refused() const { return refused_; }
  bool lost() const { return lost_; }
  const Http2Fields& arriving() const { return fields_; }  // the fields of an incomplete head

  // Called by exchanges. A wait that is cancelled or takes too long ends with kUnavailable.
  Task<Result<Http2Head>> ReadHead();
  Http2Head PopHead();                   // one must have arrived
  Task<Result<std::string>> ReadBody();  // empty at the end
  const http::Headers& trailers() const { return trailers_; }
  Task<Status> SendBody(std::string piece);
  Task<Status> Finish(http::Headers trailers);
  // Resets the stream. Waits on it end with `reason`.
  void ResetStream(std::uint32_t code, std::string reason);
  void Discard();                               // input is discarded from now on
  void WithoutBody() { output_ended_ = true; }  // the head is the whole message
  // Called once if the peer gives up the stream before everything is sent.
  std::function<void()> on_gone;

  // Called by the session:
  bool AddField(std::string_view name, std::string_view value);  // false: there are far too many
  // The fields since the last call are a head, or trailers.
  void OnHead(Http2Body body);
  void OnData(std::string_view bytes);
  void EndInput();
  void MarkEndSent() { end_sent_ = true; }
  enum class Cause { kPeer, kConnection };
  void Close(Cause cause, bool refused, std::string reason);
  struct FillResult {
    enum class State { kMore, kDeferred, kEnd, kFailed };
    std::size_t bytes = 0;
    State state = State::kMore;
  };
  FillResult Fill(char* into, std::size_t size);  // the next bytes to send
  const http::Headers& trailers_to_send() const { return trailers_to_send_; }

 private:
  // Waits for the signal. A stream without progress for too long is reset.
  Task<Status> WaitFor(Http2Signal& signal);
  Task<Status> WaitUntilSent();
  std::string TakePiece();
  void DropInput();

  Http2Session& session_;
  const std::int32_t id_;

  Http2Fields fields_;  // of the head that is arriving now
  std::size_t field_bytes_ = 0;
  std::deque<Http2Head> heads_;
  std::size_t heads_seen_ = 0;
  std::size_t heads_bytes_ = 0;
  std::string input_;
  std::size_t input_read_ = 0;  // offset in input_
  http::Headers trailers_;
  Http2Signal input_signal_;

  std::string output_;
  std::size_t output_sent_ = 0;  // offset in output_
  http::Headers trailers_to_send_;
  Http2Signal output_signal_;

  std::uint64_t progress_ = 0;  // counts input and output events
  bool received_any_ = false;
  bool discards_ = false;
  std::size_t discarded_ = 0;
  bool input_ended_ = false;
  bool output_ended_ = false;
  bool end_sent_ = false;
  bool closed_ = false;
  bool refused_ = false;
  bool lost_ = false;
  Error failure_{ErrorCode::kUnavailable, "the stream has ended"};
};

}  // namespace viv::gateway
