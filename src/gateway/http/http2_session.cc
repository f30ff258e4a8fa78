#include "gateway/http/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <exception>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>

#include "base/check.h"
#include "gateway/http/http2_callbacks.h"
#include "http/body_writer.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kOutputBytes = 64 * 1024;  // written at once, about
// A peer with more unread frames does not read at all.
constexpr std::size_t kFramesToSendMax = 4096;
constexpr std::chrono::hours kNoTimeLimit{24 * 365};

std::vector<nghttp2_nv> ViewsOf(const Http2Fields& fields, bool may_be_secret) {
  std::vector<nghttp2_nv> views;
  views.reserve(fields.size());
  for (const auto& [name, value] : fields) {
    bool once = may_be_secret && !MayBeIndexed(name);
    std::uint8_t flags = once ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
    views.push_back({BytesOf(name), BytesOf(value), name.size(), value.size(), flags});
  }
  return views;
}

}  // namespace

Http2Session::Http2Session(Side side, http::Transport& transport, Http2Options options)
    : transport_(transport),
      executor_(transport.executor()),
      side_(side),
      options_(options),
      peer_(side == Side::kGuest ? "the guest" : "the origin"),
      to_send_(executor_),
      writer_end_(executor_) {
  auto role = side == Side::kGuest ? Http2Callbacks::Role::kServer : Http2Callbacks::Role::kClient;
  session_ = Http2Callbacks::MakeSession(*this, role);
  SubmitSettings();
}

Http2Session::~Http2Session() {
  nghttp2_session_del(session_);
}

void Http2Session::SubmitSettings() {
  std::vector<nghttp2_settings_entry> settings{
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kHttp2StreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHttp2FieldBytesMax}};
  if (side_ == Side::kGuest) {
    settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kHttp2StreamsMax});
  } else {
    settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  }
  CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) ==
        0);
  CHECK(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                              kHttp2ConnectionWindow) == 0);
}

Http2Stream* Http2Session::Find(std::int32_t id) {
  auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Http2Session::Consume(std::int32_t id, std::size_t bytes) {
  nghttp2_session_consume(session_, id, bytes);
  Wake();
}

void Http2Session::Resume(std::int32_t id) {
  nghttp2_session_resume_data(session_, id);  // fails if it is not deferred
  Wake();
}

void Http2Session::Reset(std::int32_t id, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
  Wake();
}

void Http2Session::Terminate(std::uint32_t code) {
  no_new_streams_ = true;
  nghttp2_session_terminate_session(session_, code);
  Wake();
}

// Cancels the running read, so that RunConnection goes on to FinishClose, which limits the time for
// the rest.
void Http2Session::StartClose() {
  if (std::exchange(closing_, true) || flushing_) return;
  no_new_streams_ = true;
  transport_.Cancel();
}

void Http2Session::AbortConnection() {
  no_new_streams_ = failed_ = true;
  transport_.Cancel();
  Wake();
}

void Http2Session::CountReset() {
  if (resets_.CountExceeds(std::chrono::steady_clock::now())) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Session::CountControl() {
  if (controls_.CountExceeds(std::chrono::steady_clock::now()))
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

Result<std::shared_ptr<Http2Stream>> Http2Session::SubmitRequest(const Http2Fields& fields,
                                                                 Http2Body body) {
  if (no_new_streams_)
    return Fail(ErrorCode::kUnavailable, "the connection takes no more requests");
  std::vector<nghttp2_nv> views = ViewsOf(fields, true);
  nghttp2_data_provider provider = Http2Callbacks::Provider();
  bool has_body = body == Http2Body::kFollows;
  std::int32_t id = nghttp2_submit_request(session_, nullptr, views.data(), views.size(),
                                           has_body ? &provider : nullptr, nullptr);
  if (id < 0) return Fail(ErrorCode::kUnavailable, "the connection takes no more requests");
  auto stream = std::make_shared<Http2Stream>(*this, id);
  if (!has_body) stream->WithoutBody();
  streams_.emplace(id, stream);
  Wake();
  return stream;
}

Status Http2Session::SubmitResponse(Http2Stream& stream,
                                    const Http2Fields& fields,
                                    Http2Body body) {
  if (stream.closed()) return tl::unexpected<Error>(stream.failure());
  std::vector<nghttp2_nv> views = ViewsOf(fields, false);
  nghttp2_data_provider provider = Http2Callbacks::Provider();
  bool has_body = body == Http2Body::kFollows;
  if (!has_body) stream.WithoutBody();
  int sent = nghttp2_submit_response(session_, stream.id(), views.data(), views.size(),
                                     has_body ? &provider : nullptr);
  if (sent != 0) return Fail(ErrorCode::kInternal, nghttp2_strerror(sent));
  Wake();
  return {};
}

Status Http2Session::SubmitInterim(Http2Stream& stream, const Http2Fields& fields) {
  if (stream.closed()) return tl::unexpected<Error>(stream.failure());
  std::vector<nghttp2_nv> views = ViewsOf(fields, false);
  int sent = nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id(), nullptr, views.data(),
                                    views.size(), nullptr);
  if (sent != 0) return Fail(ErrorCode::kInternal, nghttp2_strerror(sent));
  Wake();
  return {};
}

Task<void> Http2Session::RunConnection(std::string already_read) {
  StartWriter();
  co_await ReadLoop(std::move(already_read));
  co_await FinishClose();
}

Task<void> Http2Session::ReadLoop(std::string already_read) {
  if (!already_read.empty() && !Feed(already_read)) co_return;
  already_read = std::string();
  std::vector<char> buffer(kReadBytes);
  while (!failed_ && !writer_ended_ && !closing_) {
    std::size_t count = co_await transport_.Read(buffer.data(), buffer.size());
    if (count == 0) {
      peer_closed_ = !transport_.expired() && !writer_ended_ && !closing_;
      break;
    }
    if (!Feed(std::string_view(buffer.data(), count))) break;
  }
}

// Returns whether there is more to read.
bool Http2Session::Feed(std::string_view bytes) {
  ssize_t used = nghttp2_session_mem_recv(session_, BytesOf(bytes), bytes.size());
  bool owes = nghttp2_session_get_outbound_queue_size(session_) > kFramesToSendMax;
  if (used < 0 || owes) {
    no_new_streams_ = failed_ = true;
    OnConnectionError(owes ? "frames are not read" : nghttp2_strerror(static_cast<int>(used)));
    return false;
  }
  AfterFeed();
  Wake();
  return nghttp2_session_want_read(session_) != 0;
}

// Always notifies writer_end_, because FinishClose waits for it.
void Http2Session::StartWriter() {
  auto on_end = [self = shared_from_this()](std::exception_ptr) {
    self->writer_ended_ = true;
    self->no_new_streams_ = true;
    if (!self->flushing_) self->transport_.Cancel();
    self->writer_end_.Notify();
  };
  asio::co_spawn(executor_, WriteLoop(), on_end);
}

Task<void> Http2Session::WriteLoop() {
  while (!failed_) {
    failed_ = !FillOutput();
    if (!output_.empty() && !failed_) {
      http::Transport::Pieces pieces{output_};
      failed_ = !co_await http::WritePieces(transport_, pieces, options_.write_timeout);
      continue;
    }
    if (flushing_ || nghttp2_session_want_read(session_) == 0) break;
    if (output_.capacity() > kReadBytes) output_ = std::string();
    co_await to_send_.Wait(kNoTimeLimit);
  }
}

bool Http2Session::FillOutput() {
  output_.clear();
  while (output_.size() < kOutputBytes) {
    const std::uint8_t* bytes = nullptr;
    ssize_t count = nghttp2_session_mem_send(session_, &bytes);
    if (count < 0) return false;
    if (count == 0) break;
    output_.append(reinterpret_cast<const char*>(bytes), count);
  }
  return true;
}

void Http2Session::CloseStreams(std::string reason) {
  auto streams = std::exchange(streams_, {});
  for (auto& [id, stream] : streams) {
    stream->Close(Http2Stream::Cause::kConnection, false, reason);
  }
}

Task<void> Http2Session::FinishClose() {
  no_new_streams_ = true;
  CloseStreams(peer_ + (peer_closed_ ? " closed the connection" : "'s connection has ended"));
  if (peer_closed_ || failed_) {
    failed_ = true;
    transport_.Cancel();  // nobody would read the rest of the output
  } else {
    // Does nothing if an error was sent before.
    nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  }
  flushing_ = true;
  while (!writer_ended_) {
    Wake();
    Http2Signal::WakeReason woken = co_await writer_end_.Wait(options_.close_timeout);
    if (woken != Http2Signal::WakeReason::kNotified) transport_.Close();
  }
  // A guest reads the reason only if all bytes that it sent were read, too.
  if (side_ == Side::kGuest && !failed_) {
    co_await transport_.Shutdown(http::Transport::Linger::kYes);
  }
  transport_.Close();
}

}  // namespace viv::gateway
