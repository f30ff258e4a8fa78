#include "gateway/http/http2_callbacks.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/check.h"

namespace viv::gateway {
namespace {

std::string_view TextOf(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

Http2Session& SessionOf(void* user) {
  return *static_cast<Http2Session*>(user);
}

bool EndsStream(const nghttp2_frame_hd& header) {
  return (header.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

nghttp2_option* MakeOptions() {
  nghttp2_option* options = nullptr;
  CHECK(nghttp2_option_new(&options) == 0);
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_no_closed_streams(options, 1);
  // A head of the largest accepted size can be forwarded, including the headers that rules add.
  nghttp2_option_set_max_send_header_block_length(options, 4 * kHttp2FieldBytesMax);
  nghttp2_option_set_stream_reset_rate_limit(options, 2 * kHttp2ResetsMax, kHttp2ResetsMax / 10);
  return options;
}

nghttp2_session_callbacks* MakeCallbacks() {
  nghttp2_session_callbacks* to = nullptr;
  CHECK(nghttp2_session_callbacks_new(&to) == 0);
  using On = Http2Callbacks;
  nghttp2_session_callbacks_set_on_begin_headers_callback(to, On::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(to, On::OnHeader);
  nghttp2_session_callbacks_set_on_invalid_header_callback(to, On::OnInvalidHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(to, On::OnFrame);
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(to, On::OnInvalidFrame);
  nghttp2_session_callbacks_set_on_begin_frame_callback(to, On::OnBeginFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(to, On::OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(to, On::OnClose);
  nghttp2_session_callbacks_set_on_frame_send_callback(to, On::OnSent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(to, On::OnNotSent);
  return to;
}

}  // namespace

nghttp2_session* Http2Callbacks::MakeSession(Http2Session& session, Role role) {
  nghttp2_session_callbacks* callbacks = MakeCallbacks();
  nghttp2_option* options = MakeOptions();
  nghttp2_session* made = nullptr;
  int failed = role == Role::kServer
                   ? nghttp2_session_server_new2(&made, callbacks, &session, options)
                   : nghttp2_session_client_new2(&made, callbacks, &session, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);
  CHECK(failed == 0);
  return made;
}

nghttp2_data_provider Http2Callbacks::Provider() {
  nghttp2_data_provider provider{};
  provider.read_callback = ReadBody;
  return provider;
}

int Http2Callbacks::OnBeginHeaders(nghttp2_session* raw, const nghttp2_frame* frame, void* user) {
  Http2Session& session = SessionOf(user);
  bool is_request = frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  if (!is_request) return 0;
  std::int32_t id = frame->hd.stream_id;
  if (session.no_new_streams_ || !session.AcceptsStream()) {
    nghttp2_submit_rst_stream(raw, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  session.streams_.emplace(id, std::make_shared<Http2Stream>(session, id));
  return 0;
}

int Http2Callbacks::OnHeader(nghttp2_session*,
                             const nghttp2_frame* frame,
                             const std::uint8_t* name,
                             std::size_t name_bytes,
                             const std::uint8_t* value,
                             std::size_t value_bytes,
                             std::uint8_t,
                             void* user) {
  Http2Stream* stream = SessionOf(user).Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  bool bounded = stream->AddField(TextOf(name, name_bytes), TextOf(value, value_bytes));
  return bounded ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

void Http2Callbacks::ReportMalformed(Http2Session& session, const nghttp2_frame& frame) {
  bool is_request = frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
  Http2Stream* stream = is_request ? session.Find(frame.hd.stream_id) : nullptr;
  if (stream != nullptr) session.OnMalformed(*stream);
}

// By default nghttp2 would drop the invalid field and continue, but others may give it a meaning.
int Http2Callbacks::OnInvalidHeader(nghttp2_session* raw,
                                    const nghttp2_frame* frame,
                                    const std::uint8_t*,
                                    std::size_t,
                                    const std::uint8_t*,
                                    std::size_t,
                                    std::uint8_t,
                                    void* user) {
  ReportMalformed(SessionOf(user), *frame);
  nghttp2_submit_rst_stream(raw, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_PROTOCOL_ERROR);
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int Http2Callbacks::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Session& session = SessionOf(user);
  auto found = session.streams_.find(frame->hd.stream_id);
  std::shared_ptr<Http2Stream> stream = found == session.streams_.end() ? nullptr : found->second;
  bool ends = EndsStream(frame->hd);
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
      if (stream == nullptr) return 0;
      stream->OnHead(ends ? Http2Body::kNone : Http2Body::kFollows);
      if (ends) stream->EndInput();
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) session.OnRequest(std::move(stream));
      return 0;
    case NGHTTP2_DATA:
      if (stream != nullptr && ends) stream->EndInput();
      return 0;
    case NGHTTP2_RST_STREAM:
      // An origin may reset each stream once it has responded (RFC 9113, 8.1).
      if (session.side_ == Http2Session::Side::kGuest) {
        session.CountReset();
      } else if (stream == nullptr) {
        session.CountControl();
      }
      return 0;
    case NGHTTP2_GOAWAY:
      session.no_new_streams_ = true;  // running streams may end
      return 0;
    default:
      return 0;
  }
}

int Http2Callbacks::OnInvalidFrame(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
  ReportMalformed(SessionOf(user), *frame);
  SessionOf(user).CountControl();
  return 0;
}

// Counts frames without useful content. Legitimate peers send many window updates, too.
int Http2Callbacks::OnBeginFrame(nghttp2_session*, const nghttp2_frame_hd* header, void* user) {
  bool carries = header->type == NGHTTP2_HEADERS || header->type == NGHTTP2_WINDOW_UPDATE ||
                 header->type == NGHTTP2_RST_STREAM ||
                 (header->type == NGHTTP2_DATA && (header->length > 0 || EndsStream(*header)));
  if (!carries) SessionOf(user).CountControl();
  return 0;
}

int Http2Callbacks::OnData(nghttp2_session*,
                           std::uint8_t,
                           std::int32_t id,
                           const std::uint8_t* bytes,
                           std::size_t size,
                           void* user) {
  Http2Session& session = SessionOf(user);
  Http2Stream* stream = session.Find(id);
  if (stream != nullptr) {
    stream->OnData(TextOf(bytes, size));
  } else {
    session.Consume(id, size);
  }
  return 0;
}

int Http2Callbacks::OnClose(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
  Http2Session& session = SessionOf(user);
  auto found = session.streams_.find(id);
  if (found == session.streams_.end()) return 0;
  std::shared_ptr<Http2Stream> stream = std::move(found->second);
  session.streams_.erase(found);
  stream->Close(
      Http2Stream::Cause::kPeer, code == NGHTTP2_REFUSED_STREAM,
      fmt::format("{} ended the stream: {}", session.peer_, nghttp2_http2_strerror(code)));
  return 0;
}

int Http2Callbacks::OnSent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Session& session = SessionOf(user);
  bool has_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (has_end && EndsStream(frame->hd)) {
    Http2Stream* stream = session.Find(frame->hd.stream_id);
    if (stream != nullptr) stream->MarkEndSent();
  }
  // A peer whose invalid frames make us reset its streams is as bad as one that resets them itself.
  if (frame->hd.type == NGHTTP2_RST_STREAM) {
    std::uint32_t code = frame->rst_stream.error_code;
    bool ours =
        code == NGHTTP2_NO_ERROR || code == NGHTTP2_CANCEL || code == NGHTTP2_INTERNAL_ERROR;
    if (!ours) session.CountReset();
  }
  if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
    session.OnConnectionError(nghttp2_http2_strerror(frame->goaway.error_code));
  return 0;
}

int Http2Callbacks::OnNotSent(nghttp2_session*, const nghttp2_frame* frame, int error, void* user) {
  Http2Session& session = SessionOf(user);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  std::int32_t id = frame->hd.stream_id;
  auto found = session.streams_.find(id);
  if (found == session.streams_.end()) return 0;
  std::shared_ptr<Http2Stream> stream = found->second;
  std::string reason = fmt::format("a head could not be sent: {}", nghttp2_strerror(error));
  if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    session.streams_.erase(found);  // its head was never sent
    stream->Close(Http2Stream::Cause::kPeer, true, std::move(reason));
  } else {
    stream->ResetStream(NGHTTP2_INTERNAL_ERROR, std::move(reason));
  }
  return 0;
}

ssize_t Http2Callbacks::ReadBody(nghttp2_session* raw,
                                 std::int32_t id,
                                 std::uint8_t* into,
                                 std::size_t size,
                                 std::uint32_t* flags,
                                 nghttp2_data_source*,
                                 void* user) {
  using State = Http2Stream::FillResult::State;
  Http2Stream* stream = SessionOf(user).Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  Http2Stream::FillResult filled = stream->Fill(reinterpret_cast<char*>(into), size);
  if (filled.state == State::kFailed) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (filled.state == State::kDeferred) return NGHTTP2_ERR_DEFERRED;
  if (filled.state == State::kEnd) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    Http2Fields trailers = ToHttp2Fields(stream->trailers_to_send());
    if (!trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      std::vector<nghttp2_nv> views;
      for (const auto& [name, value] : trailers) {
        views.push_back(
            {BytesOf(name), BytesOf(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
      }
      nghttp2_submit_trailer(raw, id, views.data(), views.size());
    }
  }
  return static_cast<ssize_t>(filled.bytes);
}

}  // namespace viv::gateway
