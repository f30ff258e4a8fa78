#include <exception>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"
#include "base/text.h"
#include "http/connection.h"
#include "http/takeover_stream.h"
#include "http/web_socket.h"

namespace viv::http {

// The usual case skips SendAnyResponse, because each further coroutine costs an allocation.
Task<bool> Connection::SendResponse(Response response) {
  bool usual = !body_ && !response.stream && !response.web_socket && !response.takeover;
  return usual ? SendWholeResponse(std::move(response)) : SendAnyResponse(std::move(response));
}

Task<bool> Connection::SendAnyResponse(Response response) {
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (body_) co_await body_->BeginResponse();
  if (response.web_socket) {
    co_await UpgradeToWebSocket(std::move(response));
    co_return false;
  }
  if (response.takeover) {
    co_await HandOverConnection(std::move(response));
    co_return false;
  }
  bool streams =
      response.stream && parser_.request().method != "HEAD" && StatusHasBody(response.status);
  bool goes_on = false;
  if (streams) {
    goes_on = co_await SendStreamedResponse(std::move(response));
  } else {
    goes_on = co_await SendWholeResponse(std::move(response));
  }
  if (body_ && goes_on) {
    goes_on = co_await body_->Finish();
  } else if (body_) {
    co_await body_->Stop();
  }
  co_return goes_on;
}

Task<bool> Connection::SendWholeResponse(Response response) {
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  bool keep_alive = KeepsAlive(response) && (!body_ || body_->may_keep_alive());
  StreamWriter::Shape shape{Framing::kLength, response.body.size()};
  if (response.stream) shape = StreamShape(response);  // HEAD: the head that GET would get
  if (!StatusHasBody(response.status)) shape.framing = Framing::kNoBody;
  WriteHead(response, shape, keep_alive);
  bool bodyless =
      shape.framing != Framing::kLength || response.stream || parser_.request().method == "HEAD";
  Transport::Pieces pieces{head_, bodyless ? std::string_view() : std::string_view(response.body)};
  std::size_t total = pieces[0].size() + pieces[1].size();
  std::size_t done = transport_->TryWrite(pieces);
  if (done == total) co_return keep_alive;
  bool written = co_await transport_->Write(pieces, done, context_.options.write_timeout);
  co_return written&& keep_alive;
}

Task<bool> Connection::SendStreamedResponse(Response response) {
  StreamWriter::Shape shape = StreamShape(response);
  bool keep_alive = KeepsAlive(response) && shape.framing != Framing::kUntilEnd;
  WriteHead(response, shape, keep_alive);
  Transport::Pieces head{head_};
  bool begun = co_await WriteAll(head);
  if (!begun) co_return false;
  StreamWriter writer(*transport_, context_.options.write_timeout, shape);
  phase_ = Phase::kStreaming;
  bool complete = co_await RunStream(response, writer);
  phase_ = Phase::kBusy;
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (!complete || writer.is_incomplete()) {
    // A client notices a missing last chunk; every other framing needs a reset.
    if (shape.framing == Framing::kChunked && !writer.is_aborted()) {
      transport_->Close();
    } else {
      transport_->Reset();
    }
    co_return false;
  }
  bool ended = co_await writer.End();
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

Task<void> Connection::UpgradeToWebSocket(Response response) {
  // A client that sends frames before the 101 breaks the protocol; they could not be handed over.
  if (!parser_.wants_web_socket() || !buffer_.empty()) {
    Response refusal =
        context_.errors(426, "this resource is a WebSocket (version 13)", parser_.request());
    refusal.headers.Set("Upgrade", "websocket");
    refusal.headers.Set("Sec-WebSocket-Version", "13");
    WriteHead(refusal, {Framing::kLength, refusal.body.size()}, false);
    Transport::Pieces pieces{head_, refusal.body};
    co_await WriteAll(pieces);
    co_return;
  }
  phase_ = Phase::kStreaming;
  WebSocketSetup setup{parser_.request(), response, *transport_, context_.options.write_timeout,
                       context_.options.socket_idle_timeout};
  co_await ServeWebSocket(setup);
  phase_ = Phase::kBusy;
}

Task<void> Connection::HandOverConnection(Response response) {
  head_.clear();
  AppendVerbatimHead(head_, response);
  Transport::Pieces head{head_};
  bool begun = co_await WriteAll(head);
  if (!begun) co_return;
  TakeoverStream stream(*transport_, buffer_, context_.options);
  phase_ = Phase::kTakenOver;
  std::string what;
  try {
    co_await response.takeover(stream);
  } catch (const boost::system::system_error& error) {
    if (error.code() != asio::error::operation_aborted) what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "unknown exception";
  }
  phase_ = Phase::kBusy;
  if (!what.empty()) {
    log::Error("http.takeover_failed", {{"path", parser_.request().path}, {"error", what}});
  }
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  co_await asio::this_coro::throw_if_cancelled(
      false);  // `stream` must outlive its pending operations
  co_await stream.CancelAndWait();
  co_await asio::this_coro::throw_if_cancelled(true);
}

Task<bool> Connection::WriteAll(Transport::Pieces pieces) {
  return WritePieces(*transport_, pieces, context_.options.write_timeout);
}

void Connection::WriteHead(const Response& response, StreamWriter::Shape shape, bool keep_alive) {
  head_.clear();
  HeadOptions head{.http_1_1 = parser_.is_http_1_1(),
                   .keep_alive = keep_alive,
                   .framing = shape.framing,
                   .body_bytes = shape.body_bytes,
                   .date = date_};
  AppendHead(head_, response, head);
}

StreamWriter::Shape Connection::StreamShape(const Response& response) {
  if (auto length = PromisedLength(response)) return {Framing::kLength, *length};
  return {parser_.is_http_1_1() ? Framing::kChunked : Framing::kUntilEnd, 0};
}

bool Connection::KeepsAlive(const Response& response) {
  return !draining_ && parser_.keep_alive() &&
         !EqualsIgnoreCase(response.headers.Get("connection"), "close");
}

}  // namespace viv::http
