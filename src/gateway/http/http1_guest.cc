// HTTP/1.1 toward a guest: one request after the other, each served to its end before the next is
// read.

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "gateway/http/connections.h"
#include "gateway/http/http1_body.h"
#include "gateway/http/http1_head.h"
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
constexpr std::size_t kGuestSmallRead = 16 * 1024;  // also what an idle connection keeps
constexpr Duration kGuestIdleTimeout{75'000};
constexpr Duration kGuestHeadTimeout{10'000};   // since its first byte
constexpr Duration kGuestBodyTimeout{300'000};  // without any progress
// What is read and forgotten of a body that nobody wants, so that the connection can go on.
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

// What a connection and its exchanges share.
struct GuestWire {
  GuestWire(http::Transport& guest, std::string_view taken, TellBroken tell)
      : transport(guest), broken(std::move(tell)), parser(GuestLimits()) {
    std::copy(taken.begin(), taken.end(), buffer.Prepare(taken.size()));
    buffer.Commit(taken.size());
  }

  // Reads become large once there was more than a small one could take.
  Task<bool> Receive() {
    char* into = buffer.Prepare(read_bytes);
    std::size_t count = co_await transport.Read(into, read_bytes);
    if (count == read_bytes) read_bytes = kGuestPieceBytesMax;
    buffer.Commit(count);
    co_return count > 0;
  }

  http::Transport& transport;
  const TellBroken broken;
  http::ReadBuffer buffer;
  RequestParser parser;
  std::size_t read_bytes = kGuestSmallRead;
};

class Http1GuestExchange final : public GuestExchange {
 public:
  Http1GuestExchange(std::shared_ptr<GuestWire> wire, RequestHead head)
      : wire_(std::move(wire)),
        head_(std::move(head)),
        out_(wire_->transport, "the guest"),
        complete_(!head_.has_body),
        awaits_continue_(head_.has_body && wire_->parser.wants_continue()) {}

  const RequestHead& head() const override { return head_; }
  const http::Headers& trailers() const override { return trailers_; }
  http::ByteStream* upgraded() override { return upgraded_ ? &*upgraded_ : nullptr; }

  Task<Result<std::string>> ReadBody() override;
  Task<Status> SendHead(AnswerHead head) override;
  Task<Status> SendBody(std::string piece) override;
  Task<Status> Finish(http::Headers trailers) override;
  void Abort() override;

  Task<bool> Settle();  // once it was served: whether another request may follow

 private:
  Result<bool> Feed();  // whether there is a piece, or the end
  bool MayDrain() const;
  Task<void> Drain();
  Task<Status> SendInterim(AnswerHead head);
  bool over() const { return aborted_ || settled_; }

  const std::shared_ptr<GuestWire> wire_;
  const RequestHead head_;
  const http::Headers trailers_;  // a guest's are read and forgotten
  MessageOut out_;
  std::optional<http::TakeoverStream> upgraded_;
  std::optional<Error> failure_;  // of the body
  bool complete_;                 // the body was read
  bool awaits_continue_;
  bool keep_alive_ = false;
  bool aborted_ = false;
  bool settled_ = false;
};

Task<Result<std::string>> Http1GuestExchange::ReadBody() {
  for (;;) {
    if (over()) co_return Fail(ErrorCode::kUnavailable, "the request was answered already");
    ASSIGN_OR_CO_RETURN(bool ready, Feed());
    if (ready) co_return std::exchange(wire_->parser.request().body, {});
    wire_->transport.ExpireReadAfter(kGuestBodyTimeout);
    bool received = co_await wire_->Receive();
    if (over()) co_return Fail(ErrorCode::kUnavailable, "the request was answered already");
    wire_->transport.ExpireReadNever();
    if (received) continue;
    // Whoever stops waiting for a body says nothing about the guest.
    asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
      co_return Fail(ErrorCode::kUnavailable, "nobody waits for the body any more");
    }
    failure_ = Error{ErrorCode::kUnavailable,
                     wire_->transport.expired() ? "the guest fell silent" : "the guest went away"};
  }
}

Result<bool> Http1GuestExchange::Feed() {
  std::string& body = wire_->parser.request().body;
  while (!complete_ && body.empty()) {
    if (failure_) return PassUp(*failure_);
    RequestParser::Step step =
        wire_->parser.Feed(wire_->buffer.data().substr(0, kGuestPieceBytesMax));
    wire_->buffer.Consume(step.consumed);
    if (step.state == RequestParser::State::kBroken) {
      failure_ = Error{ErrorCode::kInvalidArgument, std::string(wire_->parser.error().message)};
      continue;
    }
    complete_ = step.state == RequestParser::State::kDone;
    bool stuck = step.consumed == 0 || wire_->buffer.empty();
    if (!complete_ && body.empty() && stuck) return false;
  }
  return true;
}

Task<Status> Http1GuestExchange::SendInterim(AnswerHead head) {
  bool known = wire_->parser.is_http_1_1();
  if (!known) co_return Status();
  if (head.status == 100) awaits_continue_ = false;
  std::string text;
  AppendAnswerHead(text, head, BodyShape(), AnswerContext());
  MessageOut out(wire_->transport, "the guest");
  out.Begin(std::move(text), BodyShape());
  CO_RETURN_IF_ERROR(co_await out.Flush());
  if (head.status == 101 && !over()) {
    upgraded_.emplace(wire_->transport, wire_->buffer, GuestPipeOptions());
  }
  co_return Status();
}

Task<Status> Http1GuestExchange::SendHead(AnswerHead head) {
  if (over()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  if (head.status < 200) co_return co_await SendInterim(std::move(head));
  if (out_.begun()) co_return Fail(ErrorCode::kInternal, "a request has one answer");
  AnswerContext context;
  context.http_1_1 = wire_->parser.is_http_1_1();
  context.asked_for_head = head_.method == "HEAD";
  BodyShape shape = ShapeOfAnswer(head, context);
  keep_alive_ = wire_->parser.keep_alive() && shape.framing != http::Framing::kUntilEnd &&
                (complete_ || MayDrain());
  context.keep_alive = keep_alive_;
  std::string text;
  AppendAnswerHead(text, head, shape, context);
  out_.Begin(std::move(text), shape);
  bool waits = head.body_is_near || shape.framing == http::Framing::kNoBody || !head.has_body;
  if (waits) co_return Status();
  co_return co_await out_.Flush();
}

Task<Status> Http1GuestExchange::SendBody(std::string piece) {
  if (over()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  co_return co_await out_.Write(std::move(piece));
}

Task<Status> Http1GuestExchange::Finish(http::Headers trailers) {
  if (over()) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  co_return co_await out_.Finish(std::move(trailers));
}

void Http1GuestExchange::Abort() {
  if (over()) return;
  aborted_ = true;
  wire_->transport.Reset();
}

// Who still waits for leave to send a body may send it or not: nobody could tell what follows.
bool Http1GuestExchange::MayDrain() const {
  return !awaits_continue_ && !failure_ &&
         wire_->parser.body_bytes_left().value_or(0) <= kGuestDrainBytesMax;
}

Task<void> Http1GuestExchange::Drain() {
  wire_->transport.ExpireReadAfter(kGuestDrainTime);
  for (std::size_t drained = 0; drained <= kGuestDrainBytesMax;) {
    drained += wire_->parser.request().body.size();
    wire_->parser.request().body.clear();
    Result<bool> fed = Feed();
    if (!fed || complete_) break;
    if (*fed) continue;
    if (!keep_alive_) break;
    bool received = co_await wire_->Receive();
    if (!received) break;
  }
  wire_->parser.request().body.clear();
  wire_->transport.ExpireReadNever();
}

Task<bool> Http1GuestExchange::Settle() {
  if (over()) co_return false;
  if (upgraded_) co_await upgraded_->CancelAndWait();
  settled_ = true;
  if (!upgraded_ && !out_.whole()) {
    wire_->transport.Reset();
    co_return false;
  }
  if (!upgraded_) co_await Drain();
  if (complete_ && keep_alive_ && !upgraded_) co_return true;
  using Linger = http::Transport::Linger;
  Linger linger = complete_ ? Linger::kNo : Linger::kYes;
  co_await wire_->transport.Shutdown(linger);
  co_return false;
}

Task<void> RefuseGuest(GuestWire& wire, int status, std::string message) {
  const http::Request& request = wire.parser.request();
  if (wire.broken) wire.broken(BrokenRequest{status, message, request.method, request.target});
  AnswerHead head;
  head.status = status;
  head.headers.Add("Content-Type", "text/plain; charset=utf-8");
  head.has_body = true;
  head.body_bytes = message.size();
  AnswerContext context;
  context.keep_alive = false;
  BodyShape shape = ShapeOfAnswer(head, context);
  std::string text;
  AppendAnswerHead(text, head, shape, context);
  MessageOut out(wire.transport, "the guest");
  out.Begin(std::move(text), shape);
  Status sent = co_await out.Write(std::move(message));
  if (sent) co_await wire.transport.Shutdown(http::Transport::Linger::kYes);
}

// Nothing when the connection is at its end; what can be answered was.
Task<std::optional<RequestHead>> ReadGuestHead(GuestWire& wire) {
  bool begun = !wire.buffer.empty();
  wire.transport.ExpireReadAfter(begun ? kGuestHeadTimeout : kGuestIdleTimeout);
  for (;;) {
    RequestParser::Step step = wire.parser.Feed(wire.buffer.data());
    wire.buffer.Consume(step.consumed);
    if (step.state == RequestParser::State::kBroken) {
      bool connects = wire.parser.request().method == "CONNECT";
      RequestParser::Problem problem = wire.parser.error();
      if (connects) problem = {403, "CONNECT is not served here: connect to the host itself"};
      co_await RefuseGuest(wire, problem.status, std::string(problem.message));
      co_return std::nullopt;
    }
    if (step.state != RequestParser::State::kNeedsMore) {
      wire.transport.ExpireReadNever();
      Result<RequestHead> head = ReadRequestHead(wire.parser.request());
      if (head) {
        head->has_body = step.state == RequestParser::State::kHeadDone;
        if (head->has_body) head->body_bytes = wire.parser.body_bytes_left();
        co_return *std::move(head);
      }
      co_await RefuseGuest(wire, 400, head.error().message);
      co_return std::nullopt;
    }
    bool begins = !begun && (wire.parser.started() || !wire.buffer.empty());
    begun |= begins;
    if (begins) wire.transport.ExpireReadAfter(kGuestHeadTimeout);
    bool received = co_await wire.Receive();
    if (received) continue;
    bool late = begun && wire.transport.expired();
    if (late) co_await RefuseGuest(wire, 408, "the head of the request took too long");
    co_return std::nullopt;
  }
}

}  // namespace

Task<void> ServeHttp1(http::Transport& guest, std::string taken, ServeExchange serve) {
  return ServeHttp1(guest, std::move(taken), std::move(serve), TellBroken());
}

Task<void> ServeHttp1(http::Transport& guest,
                      std::string taken,
                      ServeExchange serve,
                      TellBroken broken) {
  auto wire = std::make_shared<GuestWire>(guest, taken, std::move(broken));
  for (;;) {
    std::optional<RequestHead> head = co_await ReadGuestHead(*wire);
    if (!head) break;
    auto exchange = std::make_shared<Http1GuestExchange>(wire, *std::move(head));
    co_await serve(exchange);
    bool more = co_await exchange->Settle();
    if (!more) co_return;
    wire->parser.Reset();
    wire->buffer.Shrink(kGuestSmallRead);
    wire->read_bytes = kGuestSmallRead;
  }
  guest.Close();
}

}  // namespace viv::gateway
