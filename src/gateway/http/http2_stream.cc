#include "gateway/http/http2_stream.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gateway/http/http2_session.h"

namespace viv::gateway {
namespace {

// Limits of one stream: interim heads, the final head and trailers.
constexpr std::size_t kHeadsMax = 32;
constexpr std::size_t kHeadsBytesMax = 2 * kHttp2FieldBytesMax;
// A field list of this size is an attack: the connection is closed.
constexpr std::size_t kHostileFieldBytes = 1 << 20;

}  // namespace

Http2Stream::Http2Stream(Http2Session& session, std::int32_t id)
    : session_(session),
      id_(id),
      input_signal_(session.executor()),
      output_signal_(session.executor()) {}

Task<Status> Http2Stream::WaitFor(Http2Signal& signal) {
  std::uint64_t before = progress_;
  Http2Signal::WakeReason woken = co_await signal.Wait(session_.options().stream_timeout);
  if (woken == Http2Signal::WakeReason::kCancelled) {
    co_return Fail(ErrorCode::kUnavailable, "the exchange was given up");
  }
  if (woken == Http2Signal::WakeReason::kTimeout && progress_ == before) {
    ResetStream(NGHTTP2_CANCEL, session_.peer() + " was silent for too long");
  }
  co_return Status();
}

Task<Result<Http2Head>> Http2Stream::ReadHead() {
  while (heads_.empty() && !closed_ && !input_ended_) {
    CO_RETURN_IF_ERROR(co_await WaitFor(input_signal_));
  }
  if (heads_.empty()) co_return tl::unexpected<Error>(failure_);
  co_return PopHead();
}

Http2Head Http2Stream::PopHead() {
  Http2Head head = std::move(heads_.front());
  heads_.pop_front();
  return head;
}

Task<Result<std::string>> Http2Stream::ReadBody() {
  while (input_.empty() && !closed_ && !input_ended_) {
    CO_RETURN_IF_ERROR(co_await WaitFor(input_signal_));
  }
  if (input_.empty() && !input_ended_) co_return tl::unexpected<Error>(failure_);
  co_return TakePiece();
}

std::string Http2Stream::TakePiece() {
  std::string piece;
  if (input_read_ == 0 && input_.size() <= kHttp2PieceBytesMax) {
    piece = std::exchange(input_, {});
  } else {
    piece = input_.substr(input_read_, kHttp2PieceBytesMax);
    input_read_ += piece.size();
    if (input_read_ == input_.size()) {
      input_.clear();
      input_read_ = 0;
    }
  }
  if (!piece.empty()) session_.Consume(id_, piece.size());
  return piece;
}

Task<Status> Http2Stream::WaitUntilSent() {
  while (!output_.empty() && !closed_) {
    CO_RETURN_IF_ERROR(co_await WaitFor(output_signal_));
  }
  if (closed_ && !end_sent_) co_return tl::unexpected<Error>(failure_);
  co_return Status();
}

Task<Status> Http2Stream::SendBody(std::string piece) {
  CO_RETURN_IF_ERROR(co_await WaitUntilSent());
  if (output_ended_) co_return Fail(ErrorCode::kInternal, "the body has ended already");
  if (piece.empty()) co_return Status();
  output_ = std::move(piece);
  output_sent_ = 0;
  session_.Resume(id_);
  co_return Status();
}

Task<Status> Http2Stream::Finish(http::Headers trailers) {
  if (output_ended_) co_return Status();
  if (closed_) co_return tl::unexpected<Error>(failure_);
  trailers_to_send_ = std::move(trailers);
  output_ended_ = true;
  session_.Resume(id_);
  co_return co_await WaitUntilSent();
}

void Http2Stream::ResetStream(std::uint32_t code, std::string reason) {
  if (closed_) return;
  on_gone = nullptr;
  Close(Cause::kPeer, false, std::move(reason));
  Discard();
  session_.Reset(id_, code);
}

void Http2Stream::Discard() {
  discards_ = true;
  DropInput();
}

void Http2Stream::DropInput() {
  std::size_t unread = input_.size() - input_read_;
  input_.clear();
  input_read_ = 0;
  if (unread > 0) session_.Consume(id_, unread);
}

bool Http2Stream::AddField(std::string_view name, std::string_view value) {
  field_bytes_ += Http2FieldBytes(name, value);
  if (field_bytes_ > kHttp2FieldBytesMax) {
    fields_ = Http2Fields();
    return field_bytes_ <= kHostileFieldBytes;
  }
  fields_.emplace_back(name, value);
  return true;
}

void Http2Stream::OnHead(Http2Body body) {
  ++progress_;
  received_any_ = true;
  Http2Head head{std::exchange(fields_, {}), body, field_bytes_ > kHttp2FieldBytesMax};
  heads_bytes_ += std::exchange(field_bytes_, 0);
  bool first = heads_seen_++ == 0;
  if (!first && (heads_seen_ > kHeadsMax || head.too_large || heads_bytes_ > kHeadsBytesMax)) {
    ResetStream(NGHTTP2_ENHANCE_YOUR_CALM, session_.peer() + " sent too many headers");
    return;
  }
  bool is_head = head.too_large || (!head.fields.empty() && head.fields[0].first.starts_with(':'));
  if (!is_head) {
    trailers_ = Http2Trailers(std::move(head.fields));
  } else {
    heads_.push_back(std::move(head));
  }
  input_signal_.Notify();
}

void Http2Stream::OnData(std::string_view bytes) {
  ++progress_;
  if (discards_ || closed_) {
    session_.Consume(id_, bytes.size());
    discarded_ += bytes.size();
    if (end_sent_ && discarded_ > session_.options().drain_bytes) {
      ResetStream(NGHTTP2_NO_ERROR, "the request was answered before its end");
    }
    return;
  }
  if (input_read_ >= kHttp2PieceBytesMax) {
    input_.erase(0, input_read_);
    input_read_ = 0;
  }
  input_ += bytes;
  input_signal_.Notify();
}

void Http2Stream::EndInput() {
  if (closed_) return;
  ++progress_;
  input_ended_ = true;
  input_signal_.Notify();
}

// A body that arrived completely can still be read.
void Http2Stream::Close(Cause cause, bool refused, std::string reason) {
  if (closed_) return;
  closed_ = true;
  failure_.message = std::move(reason);
  refused_ = !received_any_ && refused;
  lost_ = !received_any_ && cause == Cause::kConnection;
  if (!input_ended_) DropInput();
  input_signal_.Notify();
  output_signal_.Notify();
  auto gone = std::exchange(on_gone, nullptr);
  if (gone && !end_sent_) gone();
}

Http2Stream::FillResult Http2Stream::Fill(char* into, std::size_t size) {
  using State = FillResult::State;
  if (closed_) return {0, State::kFailed};
  std::size_t bytes = std::min(size, output_.size() - output_sent_);
  if (bytes > 0) {
    std::memcpy(into, output_.data() + output_sent_, bytes);
    output_sent_ += bytes;
    ++progress_;
  }
  if (output_sent_ < output_.size()) return {bytes, State::kMore};
  output_.clear();
  output_sent_ = 0;
  output_signal_.Notify();
  if (output_ended_) return {bytes, State::kEnd};
  return {bytes, bytes > 0 ? State::kMore : State::kDeferred};
}

}  // namespace viv::gateway
