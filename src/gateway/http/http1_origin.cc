// HTTP/1.1 toward an origin: one exchange at a time.

#include <memory>
#include <optional>
#include <utility>

#include "gateway/http/connections.h"
#include "gateway/http/http1_head.h"
#include "gateway/http/http1_message_writer.h"
#include "http/read_buffer.h"
#include "http/relay_head.h"
#include "http/response_parser.h"
#include "http/server.h"
#include "http/takeover_stream.h"

namespace viv::gateway {
namespace {

using http::ResponseParser;

constexpr std::size_t kOriginPieceBytesMax = 64 * 1024;
constexpr std::size_t kOriginSmallRead = 16 * 1024;  // also the buffer of an idle connection
constexpr http::Transport::Duration kOriginHeadTimeout{300'000};
constexpr http::Transport::Duration kOriginBodyTimeout{300'000};  // without any progress

const http::ServerOptions& OriginPipeOptions() {
  static const http::ServerOptions options;
  return options;
}

class Http1Origin final : public OriginConnection,
                          public std::enable_shared_from_this<Http1Origin> {
 public:
  explicit Http1Origin(std::unique_ptr<http::Transport> origin) : transport(std::move(origin)) {}

  bool CanOpen() const override {
    return !busy_ && !closed_ && !transport->PeerHungUp(http::Transport::HangUp::kWriteHalf);
  }
  bool IsIdle() const override { return !busy_; }
  Result<std::unique_ptr<OriginExchange>> Open() override;
  void Close() override {
    closed_ = true;
    transport->Close();
  }
  void Tick(std::chrono::steady_clock::time_point now) override { transport->Tick(now); }

  enum class AfterExchange { kReusable, kUnusable };
  void Release(AfterExchange after) {
    busy_ = false;
    used_ = true;
    buffer.Shrink(kOriginSmallRead);
    if (after == AfterExchange::kUnusable) Close();
  }

  const std::unique_ptr<http::Transport> transport;
  http::ReadBuffer buffer;

 private:
  bool busy_ = false;
  bool closed_ = false;
  bool used_ = false;
};

class Http1OriginExchange final : public OriginExchange {
 public:
  Http1OriginExchange(std::shared_ptr<Http1Origin> origin, bool reused)
      : origin_(std::move(origin)), out_(*origin_->transport, "the origin"), reused_(reused) {}
  ~Http1OriginExchange() override {
    bool ready = complete_ && keep_alive_ && out_.complete() && origin_->buffer.empty();
    origin_->Release(ready ? Http1Origin::AfterExchange::kReusable
                           : Http1Origin::AfterExchange::kUnusable);
  }

  Task<Status> SendHead(RequestHead head) override;
  Task<Status> SendBody(std::string piece) override;
  Task<Status> Finish(http::Headers trailers) override {
    co_return co_await out_.Finish(std::move(trailers));
  }
  Task<Result<ResponseHead>> ReadHead() override;
  Task<Result<std::string>> ReadBody() override;
  const http::Headers& trailers() const override { return trailers_; }
  http::ByteStream* upgraded() override { return upgraded_ ? &*upgraded_ : nullptr; }
  Delivery delivery() const override {
    return reused_ && !received_any_ ? Delivery::kMaybeLost : Delivery::kMaybeProcessed;
  }

 private:
  Task<Status> Receive();
  Result<ResponseHead> ConvertHead();

  const std::shared_ptr<Http1Origin> origin_;
  MessageWriter out_;
  std::optional<ResponseParser> parser_;
  http::Headers trailers_;
  std::optional<http::TakeoverStream> upgraded_;
  std::size_t read_bytes_ = kOriginSmallRead;
  const bool reused_;
  bool asks_upgrade_ = false;
  bool received_any_ = false;  // a byte of the response arrived
  bool keep_alive_ = false;
  bool complete_ = false;
};

Result<std::unique_ptr<OriginExchange>> Http1Origin::Open() {
  if (busy_ || closed_) return Fail(ErrorCode::kUnavailable, "the connection is in use or closed");
  // Bytes that arrive before a request would be taken for its response.
  if (transport->HasUnread()) {
    Close();
    return Fail(ErrorCode::kUnavailable, "it spoke or left before it was asked");
  }
  busy_ = true;
  return std::make_unique<Http1OriginExchange>(shared_from_this(), used_);
}

Task<Status> Http1OriginExchange::SendHead(RequestHead head) {
  bool for_head = head.method == "HEAD";
  parser_.emplace(
      for_head ? ResponseParser::RequestMethod::kHead : ResponseParser::RequestMethod::kOther,
      ResponseParser::Interim::kReported);
  asks_upgrade_ = !head.upgrade.empty();
  BodyFraming framing = FramingOfRequest(head);
  std::string text;
  text.reserve(1024);
  CO_RETURN_IF_ERROR(AppendRequestHead(text, head, framing));
  out_.Begin(std::move(text), framing);
  origin_->transport->ExpireReadAfter(kOriginHeadTimeout);
  CO_RETURN_IF_ERROR(co_await out_.Flush());
  if (head.has_body) co_return Status();
  http::Headers no_trailers;
  co_return co_await out_.Finish(std::move(no_trailers));
}

Task<Status> Http1OriginExchange::SendBody(std::string piece) {
  // The timeout of the response counts from the last piece of the request.
  if (!received_any_) origin_->transport->ExpireReadAfter(kOriginHeadTimeout);
  co_return co_await out_.Write(std::move(piece));
}

Task<Result<ResponseHead>> Http1OriginExchange::ReadHead() {
  if (!parser_) co_return Fail(ErrorCode::kInternal, "an answer needs a request");
  for (;;) {
    ResponseParser::Step step = parser_->Feed(origin_->buffer.data());
    origin_->buffer.Consume(step.consumed);
    if (step.state == ResponseParser::State::kBroken) {
      co_return PassUp(parser_->error(), "malformed answer");
    }
    if (step.state == ResponseParser::State::kInterim) {
      ResponseHead interim;
      interim.status = parser_->head().status;
      interim.headers = ReadResponseHeaders(parser_->head());
      co_return interim;
    }
    if (step.state == ResponseParser::State::kHead) co_return ConvertHead();
    CO_RETURN_IF_ERROR(co_await Receive());
  }
}

Result<ResponseHead> Http1OriginExchange::ConvertHead() {
  const http::ResponseHead& from = parser_->head();
  ResponseHead head;
  head.status = from.status;
  head.headers = ReadResponseHeaders(from);
  head.has_body = parser_->has_body();
  head.body_bytes = parser_->body_bytes();
  head.body_is_ready = head.has_body && !origin_->buffer.empty();
  bool closes = http::HasHeaderToken(from.headers, "connection", "close");
  bool stays =
      parser_->is_http_1_1() || http::HasHeaderToken(from.headers, "connection", "keep-alive");
  keep_alive_ = stays && !closes && !parser_->ends_with_stream() && head.status != 101;
  complete_ = !head.has_body;
  if (head.status != 101) return head;
  if (!asks_upgrade_) {
    return Fail(ErrorCode::kUnavailable, "malformed answer: it changes protocols unasked");
  }
  origin_->transport->ExpireReadNever();
  upgraded_.emplace(*origin_->transport, origin_->buffer, OriginPipeOptions());
  return head;
}

Task<Result<std::string>> Http1OriginExchange::ReadBody() {
  if (!parser_) co_return Fail(ErrorCode::kInternal, "an answer needs a request");
  http::ReadBuffer& buffer = origin_->buffer;
  std::string bytes;
  for (;;) {
    ResponseParser::Step step = parser_->Feed(buffer.data().substr(0, kOriginPieceBytesMax));
    if (bytes.empty()) bytes.reserve(step.piece.size());
    bytes.append(step.piece);
    buffer.Consume(step.consumed);
    if (step.state == ResponseParser::State::kBroken) {
      co_return PassUp(parser_->error(), "malformed answer");
    }
    if (step.state == ResponseParser::State::kDone && !std::exchange(complete_, true)) {
      trailers_ = std::move(parser_->trailers());
      origin_->transport->ExpireReadNever();
    }
    // Small chunks that have arrived go on together.
    bool more = step.state == ResponseParser::State::kPiece && !buffer.empty();
    if (more && bytes.size() + buffer.data().size() <= kOriginPieceBytesMax) continue;
    if (!bytes.empty() || complete_) co_return bytes;
    if (step.consumed > 0 && !buffer.empty()) continue;
    origin_->transport->ExpireReadAfter(kOriginBodyTimeout);
    Status received = co_await Receive();
    if (received) continue;
    // Some servers never send close_notify in TLS. If nothing announces the length of a body, the
    // end of the connection has to be enough.
    const http::Transport& from = *origin_->transport;
    bool ended = parser_->ends_with_stream() && (!from.read_failed() || from.read_truncated());
    if (!ended) co_return PassUp(received.error());
    complete_ = true;
    co_return std::string();
  }
}

// Reads become larger once a small one was filled.
Task<Status> Http1OriginExchange::Receive() {
  char* into = origin_->buffer.Prepare(read_bytes_);
  std::size_t count = co_await origin_->transport->Read(into, read_bytes_);
  if (count == read_bytes_) read_bytes_ = kOriginPieceBytesMax;
  origin_->buffer.Commit(count);
  received_any_ |= count > 0;
  if (count > 0) co_return Status();
  if (origin_->transport->expired()) co_return Fail(ErrorCode::kUnavailable, "it took too long");
  co_return Fail(ErrorCode::kUnavailable, origin_->transport->read_failed()
                                              ? "the connection broke"
                                              : "it closed the connection");
}

}  // namespace

std::shared_ptr<OriginConnection> MakeHttp1Origin(std::unique_ptr<http::Transport> origin) {
  return std::make_shared<Http1Origin>(std::move(origin));
}

}  // namespace viv::gateway
