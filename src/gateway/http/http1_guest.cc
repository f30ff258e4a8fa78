// HTTP/1.1 toward a guest: each request is served to its end before the next one is read.

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "gateway/http/connections.h"
#include "gateway/http/http1_head.h"
#include "gateway/http/http1_message_writer.h"
#include "http/read_buffer.h"
#include "http/request_parser.h"
#include "http/server.h"
#include "http/takeover_stream.h"

namespace viv::gateway {
namespace {

using http::RequestParser;
using Duration = http::Transport::Duration;

constexpr std::size_t kGuestHeadBytesMax = 64 * 1024;
constexpr std::size_t kGuestPieceBytesMax = 64 * 1024;
constexpr std::size_t kGuestSmallRead = 16 * 1024;  // also the buffer of an idle connection
constexpr Duration kGuestIdleTimeout{75'000};
constexpr Duration kGuestHeadTimeout{10'000};   // since its first byte
constexpr Duration kGuestBodyTimeout{300'000};  // without any progress
// An unwanted body up to this size is read and discarded, so that the connection can be reused.
constexpr std::size_t kGuestDrainBytesMax = 1 << 20;
constexpr Duration kGuestDrainTime{2'000};

RequestParser::Limits GuestLimits() {
  static const std::function<bool(const http::Request&)> always = [](const http::Request&) {
    return true;
  };
  return {kGuestHeadBytesMax, 0, &always};
}

const http::ServerOptions& GuestPipeOptions() {
  static const http::ServerOptions options;
  return options;
}

// The state that a connection and its exchanges share.
struct Http1GuestConnection {
  Http1GuestConnection(http::Transport& guest,
                       std::string_view already_read,
                       MalformedRequestHandler tell)
      : transport(guest), on_malformed(std::move(tell)), parser(GuestLimits()) {
    std::copy(already_read.begin(), already_read.end(), buffer.Prepare(already_read.size()));
    buffer.Commit(already_read.size());
  }

  // Reads become larger once a small one was filled.
  Task<bool> Receive() {
    char* into = buffer.Prepare(read_bytes);
    std::size_t count = co_await transport.Read(into, read_bytes);
    if (count == read_bytes) read_bytes = kGuestPieceBytesMax;
    buffer.Commit(count);
    co_return count > 0;
  }

  http::Transport& transport;
  const MalformedRequestHandler on_malformed;
  http::ReadBuffer buffer;
  RequestParser parser;
  std::size_t read_bytes = kGuestSmallRead;
};

class Http1GuestExchange final : public GuestExchange {
 public:
  Http1GuestExchange(std::shared_ptr<Http1GuestConnection> connection, RequestHead head)
      : connection_(std::move(connection)),
        head_(std::move(head)),
        out_(connection_->transport, "the guest"),
        complete_(!head_.has_body),
        awaits_continue_(head_.has_body && connection_->parser.wants_continue()) {}

  const RequestHead& head() const override { return head_; }
  const http::Headers& trailers() const override { return trailers_; }
  http::ByteStream* upgraded() override { return upgraded_ ? &*upgraded_ : nullptr; }

  Task<Result<std::string>> ReadBody() override;
  Task<Status> SendHead(ResponseHead head) override;
  Task<Status> SendBody(std::string piece) override;
  Task<Status> Finish(http::Headers trailers) override;
  void Abort() override;

  Task<bool> EndExchange();  // called after the handler; returns whether another request may follow

 private:
  Result<bool> Feed();  // returns whether there is a piece, or the end
  bool MayDrain() const;
  Task<void> Drain();
  Task<Status> SendInterim(ResponseHead head);
  bool ended() const { return aborted_ || served_; }

  const std::shared_ptr<Http1GuestConnection> connection_;
  const RequestHead head_;
  const http::Headers trailers_;  // a guest's trailers are discarded
  MessageWriter out_;
  std::optional<http::TakeoverStream> upgraded_;
  std::optional<Error> failure_;  // of the body
  bool complete_;                 // the body was read
  bool awaits_continue_;
  bool keep_alive_ = false;
  bool aborted_ = false;
  bool served_ = false;
};

Task<Result<std::string>> Http1GuestExchange::ReadBody() {
  for (;;) {
    if (ended()) co_return Fail(ErrorCode::kUnavailable, "the request was answered already");
    ASSIGN_OR_CO_RETURN(bool ready, Feed());
    if (ready) co_return std::exchange(connection_->parser.request().body, {});
    connection_->transport.ExpireReadAfter(kGuestBodyTimeout);
    bool received = co_await connection_->Receive();
    if (ended()) co_return Fail(ErrorCode::kUnavailable, "the request was answered already");
    connection_->transport.ExpireReadNever();
    if (received) continue;
    // A cancelled wait says nothing about the guest.
    asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
      co_return Fail(ErrorCode::kUnavailable, "nobody waits for the body any more");
    }
    failure_ =
        Error{ErrorCode::kUnavailable,
              connection_->transport.expired() ? "the guest fell silent" : "the guest went away"};
  }
}

Result<bool> Http1GuestExchange::Feed() {
  std::string& body = connection_->parser.request().body;
  while (!complete_ && body.empty()) {
    if (failure_) return PassUp(*failure_);
    RequestParser::Step step =
        connection_->parser.Feed(connection_->buffer.data().substr(0, kGuestPieceBytesMax));
    connection_->buffer.Consume(step.consumed);
    if (step.state == RequestParser::State::kBroken) {
      failure_ =
          Error{ErrorCode::kInvalidArgument, std::string(connection_->parser.error().message)};
      continue;
    }
    complete_ = step.state == RequestParser::State::kDone;
    bool stuck = step.consumed == 0 || connection_->buffer.empty();
    if (!complete_ && body.empty() && stuck) return false;
  }
  return true;
}

Task<Status> Http1GuestExchange::SendInterim(ResponseHead head) {
  bool known = connection_->parser.is_http_1_1();
  if (!known) co_return Status();
  if (head.status == 100) awaits_continue_ = false;
  std::string text;
  AppendResponseHead(text, head, BodyFraming(), ResponseContext());
  MessageWriter out(connection_->transport, "the guest");
  out.Begin(std::move(text), BodyFraming());
  CO_RETURN_IF_ERROR(co_await out.Flush());
  if (head.status == 101 && !ended()) {
    upgraded_.emplace(connection_->transport, connection_->buffer, GuestPipeOptions());
  }
  co_return Status();
}

Task<Status> Http1GuestExchange::SendHead(ResponseHead head) {
  if (ended()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  if (head.status < 200) co_return co_await SendInterim(std::move(head));
  if (out_.started()) co_return Fail(ErrorCode::kInternal, "a request has one answer");
  ResponseContext context;
  context.http_1_1 = connection_->parser.is_http_1_1();
  context.asked_for_head = head_.method == "HEAD";
  BodyFraming framing = FramingOfResponse(head, context);
  keep_alive_ = connection_->parser.keep_alive() && framing.kind != http::Framing::kUntilEnd &&
                (complete_ || MayDrain());
  context.keep_alive = keep_alive_;
  std::string text;
  AppendResponseHead(text, head, framing, context);
  out_.Begin(std::move(text), framing);
  bool waits = head.body_is_ready || framing.kind == http::Framing::kNoBody || !head.has_body;
  if (waits) co_return Status();
  co_return co_await out_.Flush();
}

Task<Status> Http1GuestExchange::SendBody(std::string piece) {
  if (ended()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  co_return co_await out_.Write(std::move(piece));
}

Task<Status> Http1GuestExchange::Finish(http::Headers trailers) {
  if (ended()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  co_return co_await out_.Finish(std::move(trailers));
}

void Http1GuestExchange::Abort() {
  if (ended()) return;
  aborted_ = true;
  connection_->transport.Reset();
}

// A guest that still expects 100-continue may send the body or not, so nobody could tell what
// follows.
bool Http1GuestExchange::MayDrain() const {
  return !awaits_continue_ && !failure_ &&
         connection_->parser.body_bytes_left().value_or(0) <= kGuestDrainBytesMax;
}

Task<void> Http1GuestExchange::Drain() {
  connection_->transport.ExpireReadAfter(kGuestDrainTime);
  for (std::size_t drained = 0; drained <= kGuestDrainBytesMax;) {
    drained += connection_->parser.request().body.size();
    connection_->parser.request().body.clear();
    Result<bool> fed = Feed();
    if (!fed || complete_) break;
    if (*fed) continue;
    if (!keep_alive_) break;
    bool received = co_await connection_->Receive();
    if (!received) break;
  }
  connection_->parser.request().body.clear();
  connection_->transport.ExpireReadNever();
}

Task<bool> Http1GuestExchange::EndExchange() {
  if (ended()) co_return false;
  if (upgraded_) co_await upgraded_->CancelAndWait();
  served_ = true;
  if (!upgraded_ && !out_.complete()) {
    connection_->transport.Reset();
    co_return false;
  }
  if (!upgraded_) co_await Drain();
  if (complete_ && keep_alive_ && !upgraded_) co_return true;
  using Linger = http::Transport::Linger;
  Linger linger = complete_ ? Linger::kNo : Linger::kYes;
  co_await connection_->transport.Shutdown(linger);
  co_return false;
}

Task<void> RejectRequest(Http1GuestConnection& connection, int status, std::string message) {
  const http::Request& request = connection.parser.request();
  if (connection.on_malformed)
    connection.on_malformed(MalformedRequest{status, message, request.method, request.target});
  ResponseHead head;
  head.status = status;
  head.headers.Add("Content-Type", "text/plain; charset=utf-8");
  head.has_body = true;
  head.body_bytes = message.size();
  ResponseContext context;
  context.keep_alive = false;
  BodyFraming framing = FramingOfResponse(head, context);
  std::string text;
  AppendResponseHead(text, head, framing, context);
  MessageWriter out(connection.transport, "the guest");
  out.Begin(std::move(text), framing);
  Status sent = co_await out.Write(std::move(message));
  if (sent) co_await connection.transport.Shutdown(http::Transport::Linger::kYes);
}

// Nothing if the connection has ended. What could be answered was answered.
Task<std::optional<RequestHead>> ReadGuestHead(Http1GuestConnection& connection) {
  bool begun = !connection.buffer.empty();
  connection.transport.ExpireReadAfter(begun ? kGuestHeadTimeout : kGuestIdleTimeout);
  for (;;) {
    RequestParser::Step step = connection.parser.Feed(connection.buffer.data());
    connection.buffer.Consume(step.consumed);
    if (step.state == RequestParser::State::kBroken) {
      bool connects = connection.parser.request().method == "CONNECT";
      RequestParser::Problem problem = connection.parser.error();
      if (connects) problem = {403, "CONNECT is not served here: connect to the host itself"};
      co_await RejectRequest(connection, problem.status, std::string(problem.message));
      co_return std::nullopt;
    }
    if (step.state != RequestParser::State::kNeedsMore) {
      connection.transport.ExpireReadNever();
      Result<RequestHead> head = ReadRequestHead(connection.parser.request());
      if (head) {
        head->has_body = step.state == RequestParser::State::kHeadDone;
        if (head->has_body) head->body_bytes = connection.parser.body_bytes_left();
        co_return *std::move(head);
      }
      co_await RejectRequest(connection, 400, head.error().message);
      co_return std::nullopt;
    }
    bool begins = !begun && (connection.parser.started() || !connection.buffer.empty());
    begun |= begins;
    if (begins) connection.transport.ExpireReadAfter(kGuestHeadTimeout);
    bool received = co_await connection.Receive();
    if (received) continue;
    bool late = begun && connection.transport.expired();
    if (late) co_await RejectRequest(connection, 408, "the head of the request took too long");
    co_return std::nullopt;
  }
}

}  // namespace

Task<void> ServeHttp1(http::Transport& guest, std::string already_read, ExchangeHandler serve) {
  return ServeHttp1(guest, std::move(already_read), std::move(serve), MalformedRequestHandler());
}

Task<void> ServeHttp1(http::Transport& guest,
                      std::string already_read,
                      ExchangeHandler serve,
                      MalformedRequestHandler on_malformed) {
  auto connection =
      std::make_shared<Http1GuestConnection>(guest, already_read, std::move(on_malformed));
  for (;;) {
    std::optional<RequestHead> head = co_await ReadGuestHead(*connection);
    if (!head) break;
    auto exchange = std::make_shared<Http1GuestExchange>(connection, *std::move(head));
    co_await serve(exchange);
    bool more = co_await exchange->EndExchange();
    if (!more) co_return;
    connection->parser.Reset();
    connection->buffer.Shrink(kGuestSmallRead);
    connection->read_bytes = kGuestSmallRead;
  }
  guest.Close();
}

}  // namespace viv::gateway
