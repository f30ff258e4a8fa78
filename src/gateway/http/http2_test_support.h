#pragma once
// For tests of HTTP/2: a loop on its own thread, and a peer that uses libnghttp2 on a blocking
// socket, as a client or a server, and can also send invalid frames.

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include "base/unique_fd.h"
#include "gateway/http/http2_callbacks.h"
#include "gateway/http/http2_fields.h"
#include "http/transport.h"

namespace viv::gateway {

struct Http2SocketPair {
  UniqueFd ours, theirs;
};

inline Http2SocketPair MakeHttp2SocketPair() {
  int pair[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  return {UniqueFd(pair[0]), UniqueFd(pair[1])};
}

// Its destructor waits until everything that was started has ended.
class Http2TestLoop {
 public:
  Http2TestLoop() : work_(io_.get_executor()), thread_([this] { io_.run(); }) {}
  ~Http2TestLoop() {
    work_.reset();
    thread_.join();
  }

  template <typename T>
  std::future<T> Start(Task<T> task) {
    return asio::co_spawn(io_, std::move(task), asio::use_future);
  }

  template <typename T>
  T Run(std::function<T()> call) {
    std::promise<T> done;
    asio::post(io_, [&] {
      if constexpr (std::is_void_v<T>) {
        call();
        done.set_value();
      } else {
        done.set_value(call());
      }
    });
    return done.get_future().get();
  }

  asio::any_io_executor executor() { return io_.get_executor(); }

  std::unique_ptr<http::Transport> Adopt(UniqueFd fd) {
    auto socket = http::AdoptSocket(io_.get_executor(), std::move(fd));
    EXPECT_TRUE(socket.has_value());
    return http::MakePlainTransport(*std::move(socket));
  }

 private:
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

class Http2Peer {
 public:
  enum class Role { kClient, kServer };
  struct Settings {
    std::vector<nghttp2_settings_entry> entries;
    bool gives_window = true;  // sends window updates for what it has read
    bool sends_settings = true;
  };
  struct Stream {
    std::vector<Http2Fields> heads;
    std::vector<std::string> never_indexed;  // the names of those fields
    Http2Fields trailers;
    std::string body;
    std::size_t body_sent = 0;
    bool ended = false;
    std::optional<std::uint32_t> closed;  // with this code

    std::string Get(std::string_view name) const {
      for (const auto& head : heads) {
        for (const auto& [key, value] : head) {
          if (key == name) return value;
        }
      }
      return "(none)";
    }
  };

  Http2Peer(Role role, UniqueFd fd) : Http2Peer(role, std::move(fd), Settings()) {}
  Http2Peer(Role role, UniqueFd fd, Settings settings);
  ~Http2Peer() { nghttp2_session_del(session_); }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  // A body is sent as far as the windows allow.
  std::int32_t Request(const Http2Fields& fields,
                       std::optional<std::string> body = std::nullopt,
                       Http2Fields trailers = {});
  std::int32_t Begin(const Http2Fields& fields);  // opens a request whose body never comes
  void Respond(std::int32_t id,
               const Http2Fields& fields,
               std::optional<std::string> body = std::nullopt,
               Http2Fields trailers = {});
  void Interim(std::int32_t id, const Http2Fields& fields);
  void Reset(std::int32_t id, std::uint32_t code) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
  }

  // Sends and reads until `holds`; false if the connection ended before.
  bool Until(const std::function<bool()>& holds);
  bool UntilClosed(std::int32_t id) {
    return Until([&] { return streams[id].closed.has_value(); });
  }
  // Waits until the other side has read everything that was sent so far.
  bool Sync();
  bool UntilEnd() {
    Until([] { return false; });
    return ended;
  }
  void SendRaw(std::string_view bytes);
  bool Flush();
  void Hangup() { fd_ = UniqueFd(); }

  nghttp2_session* raw() { return session_; }
  std::map<std::int32_t, Stream> streams;
  std::optional<std::uint32_t> goaway;
  bool ended = false;  // the other side closed the connection
  std::size_t pings_answered = 0;
  std::vector<std::pair<int, std::uint32_t>> settings_seen;

 private:
  struct Outgoing {
    std::string body;
    std::size_t sent = 0;
    Http2Fields trailers;
  };
  static Http2Peer& Of(void* user) { return *static_cast<Http2Peer*>(user); }
  static std::vector<nghttp2_nv> Views(const Http2Fields& fields);
  static int OnHeader(nghttp2_session*,
                      const nghttp2_frame* frame,
                      const std::uint8_t* name,
                      std::size_t name_bytes,
                      const std::uint8_t* value,
                      std::size_t value_bytes,
                      std::uint8_t flags,
                      void* user);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static ssize_t OnRead(nghttp2_session*,
                        std::int32_t id,
                        std::uint8_t* into,
                        std::size_t size,
                        std::uint32_t* flags,
                        nghttp2_data_source*,
                        void* user);

  UniqueFd fd_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Http2Fields> arriving_;
  std::map<std::int32_t, Outgoing> outgoing_;
};

inline Http2Peer::Http2Peer(Role role, UniqueFd fd, Settings settings) : fd_(std::move(fd)) {
  // The timeout only keeps a failing test from hanging.
  timeval timeout{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  nghttp2_session_callbacks* to = nullptr;
  nghttp2_session_callbacks_new(&to);
  nghttp2_session_callbacks_set_on_header_callback(to, OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(to, OnFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      to, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
             std::size_t size, void* user) {
        Of(user).streams[id].body.append(reinterpret_cast<const char*>(bytes), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      to, [](nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
        Of(user).streams[id].closed = code;
        return 0;
      });
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  nghttp2_option_set_no_auto_window_update(options, settings.gives_window ? 0 : 1);
  nghttp2_option_set_peer_max_concurrent_streams(options, 100'000);
  nghttp2_option_set_max_send_header_block_length(options, 1 << 24);
  if (role == Role::kClient) {
    nghttp2_session_client_new2(&session_, to, this, options);
  } else {
    nghttp2_session_server_new2(&session_, to, this, options);
  }
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(to);
  if (settings.sends_settings) {
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.entries.data(),
                            settings.entries.size());
  }
}

inline std::vector<nghttp2_nv> Http2Peer::Views(const Http2Fields& fields) {
  std::vector<nghttp2_nv> views;
  for (const auto& [name, value] : fields) {
    views.push_back({BytesOf(name), BytesOf(value), name.size(), value.size(), 0});
  }
  return views;
}

inline int Http2Peer::OnHeader(nghttp2_session*,
                               const nghttp2_frame* frame,
                               const std::uint8_t* name,
                               std::size_t name_bytes,
                               const std::uint8_t* value,
                               std::size_t value_bytes,
                               std::uint8_t flags,
                               void* user) {
  std::string key(reinterpret_cast<const char*>(name), name_bytes);
  std::string text(reinterpret_cast<const char*>(value), value_bytes);
  std::int32_t id = frame->hd.stream_id;
  if ((flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0) Of(user).streams[id].never_indexed.push_back(key);
  Of(user).arriving_[id].emplace_back(std::move(key), std::move(text));
  return 0;
}

inline int Http2Peer::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Peer& peer = Of(user);
  std::int32_t id = frame->hd.stream_id;
  if (frame->hd.type == NGHTTP2_HEADERS) {
    Http2Fields fields = std::exchange(peer.arriving_[id], {});
    bool is_head = !fields.empty() && fields[0].first.starts_with(':');
    if (is_head) peer.streams[id].heads.push_back(std::move(fields));
    if (!is_head) peer.streams[id].trailers = std::move(fields);
  }
  if (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) {
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) peer.streams[id].ended = true;
  }
  bool is_ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
  if (frame->hd.type == NGHTTP2_PING && is_ack) ++peer.pings_answered;
  if (frame->hd.type == NGHTTP2_GOAWAY) peer.goaway = frame->goaway.error_code;
  if (frame->hd.type == NGHTTP2_SETTINGS && !is_ack) {
    for (std::size_t i = 0; i < frame->settings.niv; ++i) {
      peer.settings_seen.emplace_back(frame->settings.iv[i].settings_id,
                                      frame->settings.iv[i].value);
    }
  }
  return 0;
}

inline ssize_t Http2Peer::OnRead(nghttp2_session* raw,
                                 std::int32_t id,
                                 std::uint8_t* into,
                                 std::size_t size,
                                 std::uint32_t* flags,
                                 nghttp2_data_source*,
                                 void* user) {
  Outgoing& out = Of(user).outgoing_[id];
  std::size_t count = std::min(size, out.body.size() - out.sent);
  std::memcpy(into, out.body.data() + out.sent, count);
  out.sent += count;
  Of(user).streams[id].body_sent = out.sent;
  if (out.sent == out.body.size()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!out.trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      auto views = Views(out.trailers);
      nghttp2_submit_trailer(raw, id, views.data(), views.size());
    }
  }
  return static_cast<ssize_t>(count);
}

inline std::int32_t Http2Peer::Request(const Http2Fields& fields,
                                       std::optional<std::string> body,
                                       Http2Fields trailers) {
  nghttp2_data_provider provider{};
  provider.read_callback = OnRead;
  auto views = Views(fields);
  std::int32_t id = nghttp2_submit_request(session_, nullptr, views.data(), views.size(),
                                           body ? &provider : nullptr, nullptr);
  EXPECT_GT(id, 0);
  if (body) outgoing_[id] = Outgoing{*std::move(body), 0, std::move(trailers)};
  return id;
}

inline std::int32_t Http2Peer::Begin(const Http2Fields& fields) {
  auto views = Views(fields);
  return nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, -1, nullptr, views.data(),
                                views.size(), nullptr);
}

inline void Http2Peer::Respond(std::int32_t id,
                               const Http2Fields& fields,
                               std::optional<std::string> body,
                               Http2Fields trailers) {
  nghttp2_data_provider provider{};
  provider.read_callback = OnRead;
  auto views = Views(fields);
  if (body) outgoing_[id] = Outgoing{*std::move(body), 0, std::move(trailers)};
  int sent =
      nghttp2_submit_response(session_, id, views.data(), views.size(), body ? &provider : nullptr);
  EXPECT_EQ(sent, 0);
}

inline void Http2Peer::Interim(std::int32_t id, const Http2Fields& fields) {
  auto views = Views(fields);
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, views.data(), views.size(),
                         nullptr);
}

inline void Http2Peer::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // only what the other side answers matters
    bytes.remove_prefix(count);
  }
}

inline bool Http2Peer::Flush() {
  const std::uint8_t* bytes = nullptr;
  ssize_t count = 0;
  while ((count = nghttp2_session_mem_send(session_, &bytes)) > 0) {
    SendRaw({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)});
  }
  return count == 0;
}

inline bool Http2Peer::Until(const std::function<bool()>& holds) {
  for (;;) {
    if (!Flush()) return holds();
    if (holds()) return true;
    std::uint8_t bytes[16 * 1024];
    ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    ended = count == 0 || (count < 0 && errno == ECONNRESET);
    if (count <= 0) return false;
    if (nghttp2_session_mem_recv(session_, bytes, count) < 0) return holds();
  }
}

inline bool Http2Peer::Sync() {
  std::size_t before = pings_answered;
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  return Until([&] { return pings_answered > before; });
}

// A frame as bytes.
inline std::string Http2Frame(std::uint8_t type,
                              std::uint8_t flags,
                              std::int32_t stream,
                              std::string_view payload) {
  std::string frame;
  for (int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame.append(payload);
}

inline Http2Fields GetFields(std::string_view path, const Http2Fields& more = {}) {
  Http2Fields fields{{":method", "GET"},
                     {":scheme", "https"},
                     {":authority", "api.example.com"},
                     {":path", std::string(path)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

inline Http2Fields PostFields(std::string_view path, const Http2Fields& more = {}) {
  Http2Fields fields = GetFields(path, more);
  fields[0].second = "POST";
  return fields;
}

}  // namespace viv::gateway
