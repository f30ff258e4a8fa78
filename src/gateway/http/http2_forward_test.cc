// Both sides together: the requests of a guest are forwarded to an origin, as the gateway does.

#include <gtest/gtest.h>

#include <thread>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "gateway/http/http2_guest_test_support.h"
#include "gateway/http/http2_origin.h"
#include "gateway/http/http2_test_support.h"

namespace viv::gateway {
namespace {

Task<Status> PassRequest(GuestExchange& guest, OriginExchange& origin) {
  RequestHead head = guest.head();
  bool has_body = head.has_body;
  CO_RETURN_IF_ERROR(co_await origin.SendHead(std::move(head)));
  while (has_body) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await guest.ReadBody());
    if (piece.empty()) break;
    CO_RETURN_IF_ERROR(co_await origin.SendBody(std::move(piece)));
  }
  http::Headers trailers = guest.trailers();
  co_return co_await origin.Finish(std::move(trailers));
}

Task<Status> PassResponse(GuestExchange& guest, OriginExchange& origin) {
  ASSIGN_OR_CO_RETURN(ResponseHead head, co_await origin.ReadHead());
  CO_RETURN_IF_ERROR(co_await guest.SendHead(std::move(head)));
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await origin.ReadBody());
    if (piece.empty()) break;
    CO_RETURN_IF_ERROR(co_await guest.SendBody(std::move(piece)));
  }
  http::Headers trailers = origin.trailers();
  co_return co_await guest.Finish(std::move(trailers));
}

// A server that echoes requests, on its own thread, until the connection ends.
class EchoOrigin {
 public:
  explicit EchoOrigin(UniqueFd fd)
      : peer_(Http2Peer::Role::kServer, std::move(fd)), thread_([this] { Serve(); }) {}
  ~EchoOrigin() { thread_.join(); }

 private:
  void Serve() {
    peer_.Until([this] {
      for (auto& [id, stream] : peer_.streams) {
        if (!stream.ended || !answered_.insert(id).second) continue;
        Http2Fields head{{":status", "200"}};
        peer_.Respond(id, head, std::move(stream.body), std::move(stream.trailers));
        peer_.Flush();
      }
      return false;
    });
  }

  Http2Peer peer_;
  std::set<std::int32_t> answered_;
  std::thread thread_;
};

class Http2ForwardFixture {
 public:
  explicit Http2ForwardFixture(Http2Peer::Settings settings = {})
      : pair_(MakeHttp2SocketPair()),
        origin_(std::move(pair_.theirs)),
        guest_([this](std::shared_ptr<GuestExchange> exchange) { return Forward(exchange); },
               {},
               std::move(settings)) {}
  ~Http2ForwardFixture() {
    guest_.loop.Run<void>([this] { connection_.reset(); });
  }
  Http2Peer& client() { return guest_.client; }

 private:
  Task<void> Forward(std::shared_ptr<GuestExchange> guest) {
    using namespace boost::asio::experimental::awaitable_operators;
    if (connection_ == nullptr)
      connection_ = MakeHttp2Origin(guest_.loop.Adopt(std::move(pair_.ours)));
    auto origin = connection_->Open();
    EXPECT_TRUE(origin.has_value());
    auto both = PassRequest(*guest, **origin) && PassResponse(*guest, **origin);
    auto [asked, response_read] = co_await std::move(both);
    EXPECT_TRUE(asked.has_value());
    EXPECT_TRUE(response_read.has_value());
  }

  Http2SocketPair pair_;
  std::shared_ptr<OriginConnection> connection_;
  EchoOrigin origin_;
  Http2GuestFixture guest_;
};

TEST(Http2ForwardTest, ForwardsBodiesAndTrailers) {
  Http2ForwardFixture fixture;
  std::string body;
  for (int i = 0; i < 700'000; ++i) body += std::to_string(i);
  auto id = fixture.client().Request(PostFields("/rpc", {{"te", "trailers"}}), body,
                                     {{"grpc-status", "0"}});
  ASSERT_TRUE(fixture.client().UntilClosed(id));
  EXPECT_EQ(fixture.client().streams[id].body, body);
  Http2Fields wanted{{"grpc-status", "0"}};
  EXPECT_EQ(fixture.client().streams[id].trailers, wanted);
}

TEST(Http2ForwardTest, ForwardsAHundredStreamsAtOnce) {
  Http2ForwardFixture fixture;
  std::map<std::int32_t, std::string> sent;
  for (int i = 0; i < 100; ++i) {
    std::string body(20'000 + i * 1'000, static_cast<char>('a' + i % 26));
    sent[fixture.client().Request(PostFields("/echo"), body)] = body;
  }
  for (const auto& [id, body] : sent) {
    ASSERT_TRUE(fixture.client().UntilClosed(id));
    EXPECT_EQ(fixture.client().streams[id].body, body) << id;
  }
}

// A response that is not read must not block the others.
TEST(Http2ForwardTest, ASlowReaderDoesNotStopTheOthers) {
  Http2ForwardFixture fixture(
      {.entries = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 20'000}}, .gives_window = false});
  nghttp2_session_set_local_window_size(fixture.client().raw(), NGHTTP2_FLAG_NONE, 0, 1 << 30);
  auto slow = fixture.client().Request(PostFields("/slow"), std::string(200'000, 's'));
  ASSERT_TRUE(
      fixture.client().Until([&] { return fixture.client().streams[slow].body.size() == 20'000; }));
  for (int i = 0; i < 30; ++i) {
    auto quick = fixture.client().Request(PostFields("/quick"), std::string(10'000, 'q'));
    ASSERT_TRUE(fixture.client().UntilClosed(quick));
    EXPECT_EQ(fixture.client().streams[quick].body.size(), 10'000u);
  }
  EXPECT_EQ(fixture.client().streams[slow].body.size(), 20'000u);
  nghttp2_submit_window_update(fixture.client().raw(), NGHTTP2_FLAG_NONE, slow, 1 << 20);
  ASSERT_TRUE(fixture.client().UntilClosed(slow));
  EXPECT_EQ(fixture.client().streams[slow].body, std::string(200'000, 's'));
}

}  // namespace
}  // namespace viv::gateway
