#include "http/exchange.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "http/await_tuple.h"
#include "http/body_writer.h"

namespace viv::http {
namespace {

constexpr std::size_t kResponseReadBytes = 64 * 1024;
constexpr std::size_t kResponsePieceBytesMax = 256 * 1024;

}  // namespace

struct Exchange::State {
  std::unique_ptr<Transport> transport;
  ResponseParser parser;
  Timing timing;
  ReadBuffer buffer;
  std::optional<Error> failure;  // why this side ended it
  bool head_read = false;
  bool closed = false;  // the exchange is gone, and what its callbacks refer to
};

Exchange::Exchange(std::unique_ptr<Transport> transport,
                   ResponseParser::RequestMethod method,
                   Timing timing)
    : state_(std::make_shared<State>(State{std::move(transport),
                                           ResponseParser(method),
                                           std::move(timing),
                                           {},
                                           std::nullopt,
                                           false,
                                           false})),
      tasks_(state_->transport->executor()) {
  tasks_.Spawn("http.exchange_watch", Watch(state_));
}

Exchange::~Exchange() {
  state_->closed = true;
  state_->transport->Close();
}

Task<void> Exchange::Watch(std::shared_ptr<State> state) {
  co_await asio::this_coro::throw_if_cancelled(false);  // the end is no failure
  asio::steady_timer timer(state->transport->executor());
  while (!state->closed) {
    timer.expires_after(state->timing.tick);
    auto [cancelled] = co_await timer.async_wait(kTuple);
    if (cancelled || state->closed) co_return;
    state->transport->Tick(std::chrono::steady_clock::now());
    if (!state->timing.is_abandoned || !state->timing.is_abandoned()) continue;
    state->failure = Error{ErrorCode::kUnavailable, "the client went away"};
    state->transport->Close();
    co_return;
  }
}

Task<Status> Exchange::Handshake() {
  state_->transport->ExpireReadAfter(state_->timing.write);
  bool done = co_await state_->transport->Handshake();
  state_->transport->ExpireReadNever();
  if (!done) co_return Fail(ErrorCode::kUnavailable, "the TLS handshake failed");
  co_return Status();
}

void Exchange::Send(std::string head, std::string body) {
  std::size_t done = state_->transport->TryWrite({head, body});
  if (done == head.size() + body.size()) {
    ReadWithin(state_->timing.response);
    return;
  }
  head += body;
  head.erase(0, done);
  tasks_.Spawn("http.exchange_send", Pump(state_, std::move(head), nullptr, BodyFraming::kBare));
}

void Exchange::Send(std::string head, BodySource source, BodyFraming framing) {
  head.erase(0, state_->transport->TryWrite({head}));
  tasks_.Spawn("http.exchange_send", Pump(state_, std::move(head), std::move(source), framing));
}

Task<void> Exchange::Pump(std::shared_ptr<State> state,
                          std::string first,
                          BodySource source,
                          BodyFraming framing) {
  Transport& transport = *state->transport;
  Transport::Duration timeout = state->timing.write;
  try {
    Transport::Pieces pieces{first};
    bool taken = co_await WritePieces(transport, pieces, timeout);
    StreamWriter::Shape shape{Framing::kUntilEnd, 0};
    if (framing == BodyFraming::kChunked) shape.framing = Framing::kChunked;
    StreamWriter writer(transport, timeout, shape);
    while (taken && source) {
      if (state->closed) co_return;
      Result<std::string> piece = co_await source();
      if (state->closed) co_return;
      if (!piece) {
        state->failure = piece.error();
        transport.Close();
        co_return;
      }
      if (piece->empty()) break;
      Status written = co_await writer.Write(*std::move(piece));
      taken = written.has_value();
    }
    if (taken && source) co_await writer.End();
  } catch (const boost::system::system_error&) {
    co_return;  // cancelled
  }
  if (!state->closed && !state->head_read) transport.ExpireReadAfter(state->timing.response);
}

Task<Result<ResponseHead>> Exchange::ReadHead() {
  for (;;) {
    ResponseParser::Step step = state_->parser.Feed(state_->buffer.data());
    state_->buffer.Consume(step.consumed);
    if (step.state == ResponseParser::State::kHead) {
      state_->head_read = true;
      co_return std::move(state_->parser.head());
    }
    if (step.state == ResponseParser::State::kBroken) {
      co_return PassUp(state_->parser.error(), "malformed answer");
    }
    CO_RETURN_IF_ERROR(co_await Receive());
  }
}

Task<Result<std::string>> Exchange::ReadPiece() {
  std::string bytes;
  for (;;) {
    ResponseParser::Step step =
        state_->parser.Feed(state_->buffer.data().substr(0, kResponsePieceBytesMax));
    bytes.append(step.piece);
    state_->buffer.Consume(step.consumed);
    bool enough = bytes.size() >= kResponsePieceBytesMax;
    if (step.state == ResponseParser::State::kPiece && !enough) continue;
    if (!bytes.empty() || step.state == ResponseParser::State::kDone) co_return bytes;
    if (step.state == ResponseParser::State::kBroken) {
      co_return PassUp(state_->parser.error(), "malformed answer");
    }
    if (step.consumed > 0 && !state_->buffer.empty()) continue;
    Status received = co_await Receive();
    if (received) continue;
    bool ended = state_->parser.ends_with_stream() && !state_->transport->read_failed();
    if (ended && !state_->failure) co_return std::string();
    co_return PassUp(received.error());
  }
}

Task<Status> Exchange::Receive() {
  char* into = state_->buffer.Prepare(kResponseReadBytes);
  std::size_t count = co_await state_->transport->Read(into, kResponseReadBytes);
  state_->buffer.Commit(count);
  if (count > 0) co_return Status();
  if (state_->failure) co_return PassUp(*state_->failure);
  if (state_->transport->expired()) {
    co_return Fail(ErrorCode::kUnavailable, "the server took too long");
  }
  co_return Fail(ErrorCode::kUnavailable, state_->transport->read_failed()
                                              ? "the connection broke"
                                              : "the server closed the connection");
}

void Exchange::ReadForever() {
  state_->transport->ExpireReadNever();
}

void Exchange::ReadWithin(Duration timeout) {
  state_->transport->ExpireReadAfter(timeout);
}

std::optional<std::string> Exchange::WholeBody() {
  std::optional<std::uint64_t> size = state_->parser.body_bytes();
  if (!size || *size > state_->buffer.data().size()) return std::nullopt;
  ResponseParser::Step step = state_->parser.Feed(state_->buffer.data());
  std::string body(step.piece);
  state_->buffer.Consume(step.consumed);
  return body;
}

std::optional<std::uint64_t> Exchange::body_bytes() const {
  return state_->parser.body_bytes();
}

bool Exchange::has_body() const {
  return state_->parser.has_body();
}

void Exchange::Detach() {
  state_->timing.is_abandoned = nullptr;
}

Transport& Exchange::transport() {
  return *state_->transport;
}

ReadBuffer& Exchange::buffer() {
  return state_->buffer;
}

}  // namespace viv::http
