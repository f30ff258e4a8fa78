#include "gateway/http/http2_origin.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/log.h"

namespace viv::gateway {
namespace {

// Its destructor aborts an unfinished exchange.
class Http2OriginExchange final : public OriginExchange {
 public:
  explicit Http2OriginExchange(std::shared_ptr<Http2OriginSession> session)
      : session_(std::move(session)) {}

  ~Http2OriginExchange() override {
    if (stream_ != nullptr) {
      stream_->Discard();
      bool whole = stream_->input_ended() && stream_->output_ended();
      if (!whole) stream_->ResetStream(NGHTTP2_CANCEL, "the exchange was given up");
    }
    session_->RemoveExchange();
  }

  Task<Status> SendHead(RequestHead head) override { co_return Send(head); }

  Task<Status> SendBody(std::string piece) override {
    if (stream_ == nullptr) co_return Fail(ErrorCode::kUnavailable, failure_);
    co_return co_await stream_->SendBody(std::move(piece));
  }

  Task<Status> Finish(http::Headers trailers) override {
    if (stream_ == nullptr) co_return Fail(ErrorCode::kUnavailable, failure_);
    co_return co_await stream_->Finish(std::move(trailers));
  }

  Task<Result<ResponseHead>> ReadHead() override {
    if (stream_ == nullptr) co_return Fail(ErrorCode::kUnavailable, failure_);
    ASSIGN_OR_CO_RETURN(Http2Head head, co_await stream_->ReadHead());
    if (head.too_large) {
      stream_->ResetStream(NGHTTP2_CANCEL, "the head of the origin's answer is too large");
      co_return Fail(ErrorCode::kLimitExceeded, "the head of the origin's answer is too large");
    }
    co_return Http2ResponseHead(std::move(head.fields), head.body);
  }

  Task<Result<std::string>> ReadBody() override {
    if (stream_ == nullptr) co_return Fail(ErrorCode::kUnavailable, failure_);
    co_return co_await stream_->ReadBody();
  }

  const http::Headers& trailers() const override {
    static const http::Headers kNone;
    return stream_ == nullptr ? kNone : stream_->trailers();
  }

  Delivery delivery() const override {
    bool untouched = stream_ == nullptr ? refused_ : stream_->refused();
    if (untouched) return Delivery::kUnprocessed;
    return stream_ != nullptr && stream_->lost() ? Delivery::kMaybeLost : Delivery::kMaybeProcessed;
  }

 private:
  Status Send(const RequestHead& head) {
    if (stream_ != nullptr) return Fail(ErrorCode::kInternal, "the head was sent already");
    if (!head.upgrade.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "an upgrade needs a connection of HTTP/1.1");
    }
    Result<std::shared_ptr<Http2Stream>> begun = session_->Begin(head);
    if (begun) {
      stream_ = *std::move(begun);
      return {};
    }
    refused_ = begun.error().code == ErrorCode::kUnavailable;
    failure_ = begun.error().message;
    return tl::unexpected<Error>(std::move(begun).error());
  }

  // Declared before the stream, which refers to it.
  const std::shared_ptr<Http2OriginSession> session_;
  std::shared_ptr<Http2Stream> stream_;
  bool refused_ = false;  // the connection accepted no more streams
  std::string failure_ = "no request was sent";
};

// The pool holds this, and exchanges hold the session, so that they can finish after this is
// destroyed.
class Http2OriginConnection final : public OriginConnection {
 public:
  explicit Http2OriginConnection(std::shared_ptr<Http2OriginSession> session)
      : session_(std::move(session)) {}
  ~Http2OriginConnection() override { session_->CloseWhenIdle(); }

  bool CanOpen() const override { return session_->CanOpen(); }
  bool IsIdle() const override { return session_->IsIdle(); }

  Result<std::unique_ptr<OriginExchange>> Open() override {
    if (!session_->CanOpen()) {
      return Fail(ErrorCode::kUnavailable, "the connection takes no more requests");
    }
    session_->AddExchange();
    return std::make_unique<Http2OriginExchange>(session_);
  }

  void Close() override { session_->Close(); }
  void Tick(std::chrono::steady_clock::time_point now) override { session_->Tick(now); }

 private:
  const std::shared_ptr<Http2OriginSession> session_;
};

}  // namespace

Http2OriginSession::Http2OriginSession(std::unique_ptr<http::Transport> transport,
                                       Http2Options options)
    : Http2Session(Side::kOrigin, *transport, options), owned_(std::move(transport)) {}

void Http2OriginSession::Start() {
  auto on_end = [self = shared_from_this()](std::exception_ptr failure) {
    if (failure) log::Error("gateway.origin_failed", {});
  };
  asio::co_spawn(executor(), RunConnection(""), on_end);
}

bool Http2OriginSession::CanOpen() const {
  if (no_new_streams() || close_when_idle_ || nghttp2_session_check_request_allowed(session_) == 0)
    return false;
  std::size_t theirs =
      nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  // A connection that the origin closed while it was idle may not have been read yet.
  return exchanges_ < std::min(theirs, kHttp2StreamsMax) &&
         (exchanges_ > 0 || !transport_.PeerHungUp(http::Transport::HangUp::kWriteHalf));
}

Result<std::shared_ptr<Http2Stream>> Http2OriginSession::Begin(const RequestHead& head) {
  ASSIGN_OR_RETURN(Http2Fields fields, ToHttp2Fields(head, transport_.secure() ? "https" : "http"));
  return SubmitRequest(fields, head.has_body ? Http2Body::kFollows : Http2Body::kNone);
}

void Http2OriginSession::RemoveExchange() {
  if (--exchanges_ == 0 && close_when_idle_) StartClose();
}

void Http2OriginSession::CloseWhenIdle() {
  close_when_idle_ = true;
  if (exchanges_ == 0) StartClose();
}

void Http2OriginSession::Close() {
  close_when_idle_ = true;
  if (exchanges_ == 0) return StartClose();
  AbortConnection();
  transport_.Close();
}

std::shared_ptr<OriginConnection> MakeHttp2Origin(std::unique_ptr<http::Transport> origin) {
  return MakeHttp2Origin(std::move(origin), Http2Options());
}

std::shared_ptr<OriginConnection> MakeHttp2Origin(std::unique_ptr<http::Transport> origin,
                                                  Http2Options options) {
  auto session = std::make_shared<Http2OriginSession>(std::move(origin), options);
  session->Start();
  return std::make_shared<Http2OriginConnection>(std::move(session));
}

}  // namespace viv::gateway
