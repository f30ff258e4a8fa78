#include "http/connection.h"

#include <algorithm>
#include <exception>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"

namespace viv::http {
namespace {

constexpr std::size_t kHeadReadBytes = 4 * 1024;
constexpr std::size_t kHeadBytesFree = 8 * 1024;
constexpr std::size_t kBodyReadBytes = 64 * 1024;
constexpr std::size_t kIdleBufferBytesMax = 16 * 1024;

}  // namespace

Connection::Connection(const ServerContext& context,
                       std::unique_ptr<Transport> transport,
                       std::string remote,
                       const std::string& date)
    : context_(context),
      transport_(std::move(transport)),
      remote_(std::move(remote)),
      date_(date),
      parser_({context.options.header_bytes_max, context.options.body_bytes_max,
               &context.options.streams_body, context.options.body_defer_above_bytes}) {
  parser_.request().remote = remote_;
  parser_.request().secure = transport_->secure();
}

Task<void> Connection::Run() {
  std::exception_ptr failure;
  try {
    co_await Serve();
  } catch (...) {
    failure = std::current_exception();
  }
  if (body_) {  // a read of it may be pending, and must end before the connection does
    co_await asio::this_coro::throw_if_cancelled(false);
    transport_->Close();
    co_await body_->Stop();
  }
  if (failure) std::rethrow_exception(failure);
}

Task<void> Connection::Serve() {
  transport_->ExpireReadAfter(context_.options.header_timeout);
  bool ready = co_await transport_->Handshake();
  while (ready) {
    Outcome outcome = co_await ReadRequest();
    transport_->ExpireReadNever();
    if (outcome == Outcome::kGone) break;
    if (outcome == Outcome::kRefuse) {
      std::string message(problem_.message);
      co_await Refuse(problem_.status, std::move(message));
      co_return;
    }
    Response response = co_await Handle();
    ready = co_await SendResponse(std::move(response));
  }
  bool unread = body_ && !body_->complete();
  co_await transport_->Shutdown(unread ? Transport::Linger::kYes : Transport::Linger::kNo);
}

Task<Connection::Outcome> Connection::ReadRequest() {
  const ServerOptions& options = context_.options;
  body_.reset();
  parser_.Reset();
  charge_.Release();
  buffer_.Shrink(kIdleBufferBytesMax);
  transport_->ExpireReadAfter(std::exchange(first_, false) ? options.header_timeout
                                                           : options.idle_timeout);
  bool in_head = true;
  for (;;) {
    bool was_started = parser_.started();
    RequestParser::Step step = parser_.Feed(buffer_.data());
    buffer_.Consume(step.consumed);
    if (step.state == RequestParser::State::kDone) {
      if (in_head && parser_.streams_body()) StreamBody(RequestBody::Extent::kEmpty);
      break;
    }
    if (step.state == RequestParser::State::kBroken) {
      problem_ = parser_.error();
      co_return Outcome::kRefuse;
    }
    if (step.state == RequestParser::State::kHeadDone) {
      if (parser_.streams_body()) {
        StreamBody(RequestBody::Extent::kFollows);
        break;
      }
      if (parser_.defers_body()) {
        body_.emplace(BodySource(), RequestBody::Extent::kFollows);
        parser_.request().deferred_body = this;
        break;
      }
      in_head = false;
      if (!buffer_.empty()) continue;
      Transport::Pieces go_on{"HTTP/1.1 100 Continue\r\n\r\n"};
      if (parser_.wants_continue() && !co_await WriteAll(go_on)) co_return Outcome::kGone;
    }
    if (!in_head) transport_->ExpireReadAfter(options.body_timeout);
    if (!was_started && parser_.started() && in_head) {
      transport_->ExpireReadAfter(options.header_timeout);
    }
    if (in_head && !ChargeHead()) {
      problem_ = {503, "the server has no memory for further large requests: try again"};
      co_return Outcome::kRefuse;
    }
    phase_ = parser_.started() ? Phase::kBusy : Phase::kIdle;
    if (phase_ == Phase::kIdle && draining_) co_return Outcome::kGone;
    bool more = co_await ReadMore(in_head ? kHeadReadBytes : BodyReadBytes());
    if (more) continue;
    if (!transport_->expired() || !parser_.started()) co_return Outcome::kGone;
    problem_ = {408, "the request took too long to arrive"};
    co_return Outcome::kRefuse;
  }
  head_charge_.Release();
  phase_ = Phase::kBusy;
  co_return Outcome::kRequest;
}

Task<bool> Connection::ReadMore(std::size_t size) {
  char* into = buffer_.Prepare(size);
  std::size_t count = co_await transport_->Read(into, size);
  buffer_.Commit(count);
  co_return count > 0;
}

// The sender of a head is not authenticated yet, so that all heads share one budget.
bool Connection::ChargeHead() {
  const std::size_t bytes = parser_.head_bytes() + buffer_.data().size();
  return bytes <= kHeadBytesFree || context_.heads.Raise(head_charge_, {}, 2 * bytes);
}

// Reads no more than the body needs, because many small bodies may be pending.
std::size_t Connection::BodyReadBytes() const {
  return std::clamp<std::uint64_t>(parser_.body_bytes_left().value_or(kBodyReadBytes),
                                   kHeadReadBytes, kBodyReadBytes);
}

RequestBody::Source Connection::BodySource() {
  return {*transport_, buffer_, parser_, context_.options};
}

void Connection::StreamBody(RequestBody::Extent extent) {
  parser_.request().body_stream = &body_.emplace(BodySource(), extent);
}

// A handler's exception ends here: whatever it did, the server goes on.
Task<Response> Connection::Handle() {
  Request& request = parser_.request();
  request.remote = remote_;
  request.secure = transport_->secure();
  request.client = this;
  std::string what = "unknown exception";
  try {
    co_return co_await context_.handler(request);
  } catch (const boost::system::system_error& error) {
    if (draining_ && error.code() == asio::error::operation_aborted) {
      co_return context_.errors(503, "the server is stopping", request);
    }
    what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  log::Error("http.handler_threw", {{"path", request.path}, {"error", what}});
  co_return context_.errors(500, "internal error", request);
}

// Responds to a malformed request and closes, without reading the rest of it.
Task<void> Connection::Refuse(int status, std::string message) {
  Response response = context_.errors(status, std::move(message), parser_.request());
  WriteHead(response, {Framing::kLength, response.body.size()}, false);
  Transport::Pieces pieces{head_, response.body};
  bool written = co_await WriteAll(pieces);
  buffer_ = ReadBuffer();
  head_charge_.Release();
  if (written) co_await transport_->Shutdown(Transport::Linger::kYes);
}

bool Connection::IsClosed() {
  return transport_->PeerHungUp(Transport::HangUp::kWriteHalf);
}

// The client of a stream has nothing to send, so that a closed sending half means that it is gone.
// A client whose connection was taken over may have closed its sending half only.
void Connection::EndDeadStream() {
  bool gone =
      (phase_ == Phase::kStreaming && transport_->PeerHungUp(Transport::HangUp::kWriteHalf)) ||
      (phase_ == Phase::kTakenOver && transport_->PeerHungUp(Transport::HangUp::kBothHalves));
  if (gone) CancelStream();
}

void Connection::Drain() {
  draining_ = true;
  if (phase_ == Phase::kIdle) transport_->Cancel();
}

void Connection::CancelStream() {
  if (phase_ == Phase::kStreaming || phase_ == Phase::kTakenOver) {
    cancel_.emit(asio::cancellation_type::terminal);
  }
}

void Connection::Abort() {
  draining_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
  transport_->Close();
}

}  // namespace viv::http
