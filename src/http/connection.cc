#include "http/connection.h"

#include <fmt/format.h>

#include <exception>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"
#include "base/text.h"

namespace viv::http {
namespace {

constexpr std::size_t kHeadReadBytes = 4 * 1024;
constexpr std::size_t kBodyReadBytes = 64 * 1024;
constexpr std::size_t kIdleBufferBytesMax = 16 * 1024;

}  // namespace

// The body of a streaming answer: chunks, or bare bytes for a client that knows no chunks.
class Connection::Chunks : public BodyWriter {
 public:
  Chunks(Connection& connection, Framing framing) : connection_(connection), framing_(framing) {}

  Task<Status> Write(std::string piece) override {
    if (failed_) co_return Fail(ErrorCode::kUnavailable, "the client went away");
    if (piece.empty()) co_return Status();  // an empty chunk would end the body
    Transport::Pieces pieces{std::string_view(), piece, std::string_view()};
    std::string size;
    if (framing_ == Framing::kChunked) {
      size = fmt::format("{:x}\r\n", piece.size());
      pieces[0] = size;
      pieces[2] = "\r\n";
    }
    failed_ = true;  // until proven otherwise: a cancelled write may leave half a chunk behind
    bool written = co_await connection_.WriteAll(pieces);
    failed_ = !written;
    if (failed_) co_return Fail(ErrorCode::kUnavailable, "the client went away");
    co_return Status();
  }

  bool failed() const { return failed_; }

 private:
  Connection& connection_;
  const Framing framing_;
  bool failed_ = false;
};

Connection::Connection(const ServerContext& context,
                       std::unique_ptr<Transport> transport,
                       std::string remote,
                       const std::string& date)
    : context_(context),
      transport_(std::move(transport)),
      remote_(std::move(remote)),
      date_(date),
      parser_({context.options.header_bytes_max, context.options.body_bytes_max}) {}

Task<void> Connection::Run() {
  transport_->ExpireAfter(context_.options.header_timeout);
  bool ready = co_await transport_->Handshake();
  while (ready) {
    Outcome outcome = co_await ReadRequest();
    transport_->ExpireNever();
    if (outcome == Outcome::kGone) break;
    if (outcome == Outcome::kRefuse) {
      std::string message(problem_.message);
      co_await Refuse(problem_.status, std::move(message));
      co_return;
    }
    Response response = co_await Handle();
    ready = co_await Answer(std::move(response));
  }
  co_await transport_->Shutdown(Transport::Farewell::kBrief);
}

Task<Connection::Outcome> Connection::ReadRequest() {
  const ServerOptions& options = context_.options;
  parser_.Reset();
  buffer_.Shrink(kIdleBufferBytesMax);
  transport_->ExpireAfter(std::exchange(first_, false) ? options.header_timeout
                                                       : options.idle_timeout);
  bool in_head = true;
  for (;;) {
    bool was_started = parser_.started();
    RequestParser::Step step = parser_.Feed(buffer_.data());
    buffer_.Consume(step.consumed);
    if (step.state == RequestParser::State::kDone) break;
    if (step.state == RequestParser::State::kBroken) {
      problem_ = parser_.error();
      co_return Outcome::kRefuse;
    }
    if (step.state == RequestParser::State::kHeadDone) {
      in_head = false;
      if (!buffer_.empty()) continue;
      Transport::Pieces go_on{"HTTP/1.1 100 Continue\r\n\r\n"};
      if (parser_.wants_continue() && !co_await WriteAll(go_on)) co_return Outcome::kGone;
    }
    if (!in_head) transport_->ExpireAfter(options.body_timeout);
    if (!was_started && parser_.started() && in_head) {
      transport_->ExpireAfter(options.header_timeout);
    }
    phase_ = parser_.started() ? Phase::kBusy : Phase::kIdle;
    if (phase_ == Phase::kIdle && draining_) co_return Outcome::kGone;
    bool more = co_await ReadMore(in_head ? kHeadReadBytes : kBodyReadBytes);
    if (more) continue;
    if (!transport_->expired() || !parser_.started()) co_return Outcome::kGone;
    problem_ = {408, "the request took too long to arrive"};
    co_return Outcome::kRefuse;
  }
  phase_ = Phase::kBusy;
  co_return Outcome::kRequest;
}

Task<bool> Connection::ReadMore(std::size_t size) {
  char* into = buffer_.Prepare(size);
  std::size_t count = co_await transport_->Read(into, size);
  buffer_.Commit(count);
  co_return count > 0;
}

// A handler's exception ends here: whatever it did, the server goes on.
Task<Response> Connection::Handle() {
  Request& request = parser_.request();
  request.remote = remote_;
  request.secure = transport_->secure();
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

Task<bool> Connection::Answer(Response response) {
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (response.web_socket) {
    co_await AnswerWebSocket(std::move(response));
    co_return false;
  }
  if (response.stream && parser_.request().method != "HEAD") {
    co_return co_await AnswerStream(std::move(response));
  }
  bool keep_alive = KeepsAlive(response);
  Framing framing = StatusHasBody(response.status) ? Framing::kLength : Framing::kNoBody;
  if (response.stream) {  // HEAD: the head that GET would get
    framing = parser_.is_http_1_1() ? Framing::kChunked : Framing::kUntilEnd;
  }
  WriteHead(response, framing, keep_alive);
  bool bodyless = framing != Framing::kLength || parser_.request().method == "HEAD";
  Transport::Pieces pieces{head_, bodyless ? std::string_view() : std::string_view(response.body)};
  bool written = co_await WriteAll(pieces);
  co_return written&& keep_alive;
}

Task<bool> Connection::AnswerStream(Response response) {
  Framing framing = parser_.is_http_1_1() ? Framing::kChunked : Framing::kUntilEnd;
  bool keep_alive = KeepsAlive(response) && framing == Framing::kChunked;
  WriteHead(response, framing, keep_alive);
  Transport::Pieces head{head_};
  bool begun = co_await WriteAll(head);
  if (!begun) co_return false;
  Chunks chunks(*this, framing);
  phase_ = Phase::kStreaming;
  bool complete = co_await RunStream(response, chunks);
  phase_ = Phase::kBusy;
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (!complete || chunks.failed()) {
    transport_->Close();  // without the last chunk: the client must see that something is missing
    co_return false;
  }
  if (framing == Framing::kUntilEnd) co_return false;
  Transport::Pieces last{"0\r\n\r\n"};
  bool ended = co_await WriteAll(last);
  co_return ended&& keep_alive;
}

// Whether the stream came to an end of its own, or to the one a drain gave it.
Task<bool> Connection::RunStream(const Response& response, BodyWriter& writer) {
  std::string what = "unknown exception";
  try {
    co_await response.stream(writer);
    co_return true;
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) co_return draining_;
    what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  log::Error("http.stream_failed", {{"path", parser_.request().path}, {"error", what}});
  co_return false;
}

Task<void> Connection::AnswerWebSocket(Response response) {
  // A client that sends frames before the 101 breaks the protocol; they could not be handed over.
  if (!parser_.wants_web_socket() || !buffer_.empty()) {
    Response refusal =
        context_.errors(426, "this resource is a WebSocket (version 13)", parser_.request());
    refusal.headers.Set("Upgrade", "websocket");
    refusal.headers.Set("Sec-WebSocket-Version", "13");
    WriteHead(refusal, Framing::kLength, false);
    Transport::Pieces pieces{head_, refusal.body};
    co_await WriteAll(pieces);
    co_return;
  }
  phase_ = Phase::kStreaming;
  co_await transport_->ServeWebSocket(parser_.request(), response, context_.options.write_timeout);
  phase_ = Phase::kBusy;
}

// Answers what is no request and closes, without reading the rest of it.
Task<void> Connection::Refuse(int status, std::string message) {
  Response response = context_.errors(status, std::move(message), parser_.request());
  WriteHead(response, Framing::kLength, false);
  Transport::Pieces pieces{head_, response.body};
  bool written = co_await WriteAll(pieces);
  if (written) co_await transport_->Shutdown(Transport::Farewell::kLinger);
}

Task<bool> Connection::WriteAll(Transport::Pieces pieces) {
  std::size_t total = pieces[0].size() + pieces[1].size() + pieces[2].size();
  std::size_t done = transport_->WriteNow(pieces);
  if (done == total) co_return true;
  co_return co_await transport_->Write(pieces, done, context_.options.write_timeout);
}

void Connection::WriteHead(const Response& response, Framing framing, bool keep_alive) {
  head_.clear();
  ResponseHead head{.http_1_1 = parser_.is_http_1_1(),
                    .keep_alive = keep_alive,
                    .framing = framing,
                    .body_bytes = response.body.size(),
                    .date = date_};
  AppendHead(head_, response, head);
}

bool Connection::KeepsAlive(const Response& response) {
  return !draining_ && parser_.keep_alive() &&
         !EqualsIgnoreCase(response.headers.Get("connection"), "close");
}

void Connection::EndDeadStream() {
  if (phase_ == Phase::kStreaming && transport_->PeerIsGone()) CancelStream();
}

void Connection::Drain() {
  draining_ = true;
  if (phase_ == Phase::kIdle) transport_->Cancel();
}

void Connection::CancelStream() {
  if (phase_ == Phase::kStreaming) cancel_.emit(asio::cancellation_type::terminal);
}

void Connection::Abort() {
  draining_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
  transport_->Close();
}

}  // namespace viv::http
