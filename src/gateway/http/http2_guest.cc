#include "gateway/http/http2_guest.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"

namespace viv::gateway {
namespace {

// Includes those whose streams the guest reset while they were served.
constexpr std::size_t kRunningMax = 2 * kHttp2StreamsMax;

void LogFailure(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    log::Error("gateway.exchange_failed", {{"error", e.what()}});
  }
}

// The value of a field; empty if there is none.
std::string FieldOf(const Http2Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

class Http2GuestExchange final : public GuestExchange {
 public:
  Http2GuestExchange(std::shared_ptr<Http2GuestSession> session,
                     std::shared_ptr<Http2Stream> stream,
                     RequestHead head)
      : session_(std::move(session)), stream_(std::move(stream)), head_(std::move(head)) {}

  const RequestHead& head() const override { return head_; }
  Task<Result<std::string>> ReadBody() override { return stream_->ReadBody(); }
  const http::Headers& trailers() const override { return stream_->trailers(); }

  Task<Status> SendHead(ResponseHead head) override { co_return Send(head); }
  Task<Status> SendBody(std::string piece) override { return stream_->SendBody(std::move(piece)); }
  Task<Status> Finish(http::Headers trailers) override {
    return stream_->Finish(std::move(trailers));
  }
  void Abort() override {
    stream_->ResetStream(NGHTTP2_INTERNAL_ERROR, "the answer was broken off");
  }

 private:
  Status Send(const ResponseHead& head) {
    if (head.status == 101) {
      return Fail(ErrorCode::kInvalidArgument, "HTTP/2 has no 101: it switches no protocols");
    }
    Http2Fields fields = ToHttp2Fields(head);
    if (head.status < 200) return session_->SubmitInterim(*stream_, fields);
    Http2Body body = head.has_body ? Http2Body::kFollows : Http2Body::kNone;
    return session_->SubmitResponse(*stream_, fields, body);
  }

  // Declared before the stream, which refers to it.
  const std::shared_ptr<Http2GuestSession> session_;
  const std::shared_ptr<Http2Stream> stream_;
  const RequestHead head_;
};

Http2GuestSession::Http2GuestSession(http::Transport& transport,
                                     ExchangeHandler serve,
                                     Http2Options options,
                                     MalformedRequestHandler on_malformed)
    : Http2Session(Side::kGuest, transport, options),
      serve_(std::move(serve)),
      on_malformed_(std::move(on_malformed)),
      all_served_(executor()) {}

// Cancellation ends a read and thereby closes the connection in an orderly way, because exchanges
// still use the transport.
Task<void> Http2GuestSession::Serve(std::string already_read) {
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  transport_.ExpireReadAfter(options().idle_timeout);
  co_await RunConnection(std::move(already_read));
  while (running_ > 0) co_await all_served_.Wait(options().stream_timeout);
  co_await asio::this_coro::throw_if_cancelled(throws);
}

bool Http2GuestSession::AcceptsStream() {
  return running_ + new_streams_.size() < kRunningMax;
}

void Http2GuestSession::OnRequest(std::shared_ptr<Http2Stream> stream) {
  new_streams_.push_back(std::move(stream));
}

void Http2GuestSession::OnMalformed(const Http2Stream& stream) {
  if (std::exchange(malformed_reported_, stream.id()) == stream.id()) return;
  const Http2Fields& fields = stream.arriving();
  Report(Http2Problem{400, "malformed request: its stream is reset"}, FieldOf(fields, ":method"),
         FieldOf(fields, ":path"));
}

void Http2GuestSession::OnConnectionError(std::string_view fault) {
  if (std::exchange(connection_error_reported_, true)) return;
  Report(Http2Problem{400, fmt::format("the connection broke HTTP/2 and was ended: {}", fault)}, "",
         "");
}

void Http2GuestSession::Report(const Http2Problem& problem,
                               std::string method,
                               std::string target) {
  if (!on_malformed_) return;
  on_malformed_(
      MalformedRequest{problem.status, problem.message, std::move(method), std::move(target)});
}

void Http2GuestSession::AfterFeed() {
  for (auto& stream : std::exchange(new_streams_, {})) {
    if (!stream->closed()) Start(std::move(stream));
  }
}

void Http2GuestSession::Start(std::shared_ptr<Http2Stream> stream) {
  Http2Head arrived = stream->PopHead();
  if (arrived.too_large) {
    Http2Problem problem{
        431, fmt::format("the head of the request is larger than {} bytes", kHttp2FieldBytesMax)};
    Report(problem, "", "");
    return Run(stream, SendErrorResponse(stream, std::move(problem)));
  }
  std::string method = FieldOf(arrived.fields, ":method");
  std::string target = FieldOf(arrived.fields, ":path");
  auto head = Http2RequestHead(std::move(arrived.fields), arrived.body);
  if (!head) {
    Report(head.error(), std::move(method), std::move(target));
    return Run(stream, SendErrorResponse(stream, std::move(head).error()));
  }
  auto self = std::static_pointer_cast<Http2GuestSession>(shared_from_this());
  auto exchange = std::make_shared<Http2GuestExchange>(self, stream, *std::move(head));
  // Posted, because the stream learns of it inside of nghttp2.
  stream->on_gone = [executor = executor(), gone = std::weak_ptr<GuestExchange>(exchange)] {
    asio::post(executor, [gone] {
      auto exchange_left = gone.lock();
      if (exchange_left && exchange_left->on_gone) std::exchange(exchange_left->on_gone, {})();
    });
  };
  Run(stream, serve_(std::move(exchange)));
}

void Http2GuestSession::Run(std::shared_ptr<Http2Stream> stream, Task<void> task) {
  if (running_++ == 0) transport_.ExpireReadNever();  // each exchange has its own deadlines
  auto self = std::static_pointer_cast<Http2GuestSession>(shared_from_this());
  auto on_end = [self, stream](std::exception_ptr failure) {
    if (failure) LogFailure(failure);
    self->OnServed(*stream);
  };
  asio::co_spawn(executor(), std::move(task), on_end);
}

Task<void> Http2GuestSession::SendErrorResponse(std::shared_ptr<Http2Stream> stream,
                                                Http2Problem problem) {
  ResponseHead head;
  head.status = problem.status;
  head.headers.Add("content-type", "text/plain; charset=utf-8");
  std::string text = problem.message + "\n";
  head.headers.Add("content-length", std::to_string(text.size()));
  stream->Discard();
  Status sent = SubmitResponse(*stream, ToHttp2Fields(head), Http2Body::kFollows);
  if (sent) sent = co_await stream->SendBody(std::move(text));
  http::Headers none;
  if (sent) sent = co_await stream->Finish(std::move(none));
}

void Http2GuestSession::OnServed(Http2Stream& stream) {
  stream.on_gone = nullptr;
  stream.Discard();
  if (!stream.output_ended()) {
    stream.ResetStream(NGHTTP2_INTERNAL_ERROR, "the request was not answered");
  }
  if (--running_ > 0) return;
  if (!no_new_streams()) transport_.ExpireReadAfter(options().idle_timeout);
  all_served_.Notify();
}

Task<void> ServeHttp2(http::Transport& guest, std::string already_read, ExchangeHandler serve) {
  return ServeHttp2(guest, std::move(already_read), std::move(serve), MalformedRequestHandler());
}

Task<void> ServeHttp2(http::Transport& guest,
                      std::string already_read,
                      ExchangeHandler serve,
                      MalformedRequestHandler on_malformed) {
  Http2Options options;
  auto session = std::make_shared<Http2GuestSession>(guest, std::move(serve), options,
                                                     std::move(on_malformed));
  co_await session->Serve(std::move(already_read));
}

}  // namespace viv::gateway
