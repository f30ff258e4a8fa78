// Attacks by guests, and how their connections end.

#include <gtest/gtest.h>

#include <atomic>

#include "gateway/http/http2_guest.h"
#include "gateway/http/http2_guest_test_support.h"

namespace viv::gateway {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// The code with which a request is reset, or "status N".
std::string FateOf(Http2Fields fields, std::optional<std::string> body = std::nullopt) {
  Http2GuestFixture fixture(EchoRequest);
  auto id = fixture.client.Request(fields, std::move(body));
  if (!fixture.client.UntilClosed(id)) return "connection ended";
  if (fixture.client.streams[id].closed != NGHTTP2_NO_ERROR) {
    return nghttp2_http2_strerror(*fixture.client.streams[id].closed);
  }
  // The connection is still usable.
  auto next = fixture.client.Request(GetFields("/next"));
  EXPECT_TRUE(fixture.client.UntilClosed(next));
  EXPECT_EQ(fixture.client.streams[next].Get(":status"), "200");
  return "status " + fixture.client.streams[id].Get(":status");
}

TEST(Http2HostileTest, HeadersOfAConnectionAreRefused) {
  EXPECT_EQ(FateOf(GetFields("/", {{"connection", "close"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"transfer-encoding", "chunked"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"upgrade", "websocket"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"te", "gzip"}})), "PROTOCOL_ERROR");
}

TEST(Http2HostileTest, MalformedFieldsAreRefused) {
  EXPECT_EQ(FateOf(GetFields("/", {{"x", "a\r\nauthorization: b"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"x", std::string("a\0b", 3)}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"x y", "a"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{":path", "/other"}})), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{":other", "x"}})), "PROTOCOL_ERROR");
}

// Whether a request with these bytes as its last field is served.
bool IsServed(std::string_view field) {
  std::atomic<bool> served = false;
  {
    Http2GuestFixture fixture([&](std::shared_ptr<GuestExchange>) -> Task<void> {
      served = true;
      co_return;
    });
    EXPECT_TRUE(fixture.client.Sync());
    std::string block = std::string(
                            "\x82\x87\x84\x41\x01"
                            "a",
                            6)
                            .append(field);
    fixture.client.SendRaw(Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, block));
    fixture.client.SendRaw(Http2Frame(NGHTTP2_PING, 0, 0, "12345678"));
    fixture.client.UntilEnd();  // the client does not know the stream that is reset
  }
  return served;
}

TEST(Http2HostileTest, NamesInUpperCaseAreRefused) {
  EXPECT_TRUE(IsServed(std::string_view("\0\x01x\x01y", 5)));
  EXPECT_FALSE(IsServed(std::string_view("\0\x01X\x01y", 5)));
}

TEST(Http2HostileTest, PathsThatWouldBreakARequestLineAreRefused) {
  for (std::string_view path : {"/a b", "/a HTTP/1.1\r\nx: y", "relative", ""}) {
    EXPECT_EQ(FateOf(GetFields(path)), "PROTOCOL_ERROR") << path;
  }
}

TEST(Http2HostileTest, RequestsWithoutAHostOrWithTwoAreRefused) {
  Http2Fields fields = GetFields("/");
  fields.erase(fields.begin() + 2);
  EXPECT_EQ(FateOf(fields), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(GetFields("/", {{"host", "evil.example.com"}})), "status 400");
  fields = GetFields("/");
  fields[2].second = "user@api.example.com";
  EXPECT_EQ(FateOf(fields), "status 400");
}

TEST(Http2HostileTest, TunnelsAreRefused) {
  EXPECT_EQ(FateOf({{":method", "CONNECT"}, {":authority", "internal:22"}}), "status 403");
  EXPECT_EQ(FateOf({{":method", "CONNECT"},
                    {":protocol", "websocket"},
                    {":scheme", "https"},
                    {":authority", "api.example.com"},
                    {":path", "/"}}),
            "PROTOCOL_ERROR");
}

TEST(Http2HostileTest, ABodyThatIsNotAsLongAsPromisedIsRefused) {
  EXPECT_EQ(FateOf(PostFields("/", {{"content-length", "3"}}), "four"), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(PostFields("/", {{"content-length", "5"}}), "four"), "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(PostFields("/", {{"content-length", "4"}, {"content-length", "4"}}), "four"),
            "PROTOCOL_ERROR");
  EXPECT_EQ(FateOf(PostFields("/", {{"content-length", "4"}}), "four"), "status 200");
}

TEST(Http2HostileTest, MalformedRequestsAreReported) {
  std::vector<MalformedRequest> told;
  {
    Http2GuestFixture fixture(EchoRequest, {}, {},
                              [&](const MalformedRequest& one) { told.push_back(one); });
    for (const Http2Fields& fields :
         {GetFields("/reset", {{"connection", "close"}}), GetFields("/bytes", {{"x", "a\r\nb"}}),
          GetFields("/hosts", {{"host", "evil.example.com"}}),
          GetFields("/large", {{"x", std::string(66'000, 'a')}}), GetFields("/good")}) {
      EXPECT_TRUE(fixture.client.UntilClosed(fixture.client.Request(fields)));
    }
  }
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0].method, "GET");
  EXPECT_EQ(told[0].target, "/reset");
  EXPECT_EQ(told[0].status, 400);
  EXPECT_EQ(told[1].target, "/bytes");
  EXPECT_EQ(told[2].target, "/hosts");
  EXPECT_EQ(told[2].message, ":authority and host name different hosts");
  EXPECT_EQ(told[3].status, 431);
}

TEST(Http2HostileTest, ALargeHeadIsAnswered431) {
  EXPECT_EQ(FateOf(GetFields("/", {{"x", std::string(65'000, 'a')}})), "status 200");
  EXPECT_EQ(FateOf(GetFields("/", {{"x", std::string(66'000, 'a')}})), "status 431");
}

// A few bytes on the wire that expand to very many through the HPACK table.
TEST(Http2HostileTest, AHeadThatUnfoldsEndlesslyEndsTheConnection) {
  Http2GuestFixture fixture(EchoRequest);
  ASSERT_TRUE(fixture.client.Sync());
  std::string block(
      "\x82\x87\x84\x41\x01"
      "a",
      6);  // GET https / with the authority "a"
  std::string value(4000, 'v');
  block += std::string("\x40\x01x\x7f\xa1\x1e", 6) + value;  // x: 4000 bytes, into the table
  block += std::string(1000, '\xbe');                        // and a thousand times more
  fixture.client.SendRaw(
      Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, block));
  EXPECT_TRUE(fixture.client.UntilEnd());
}

TEST(Http2HostileTest, EndlessContinuationsEndTheConnection) {
  Http2GuestFixture fixture(EchoRequest);
  ASSERT_TRUE(fixture.client.Sync());
  fixture.client.SendRaw(Http2Frame(NGHTTP2_HEADERS, 0, 1, "\x82"));
  for (int i = 0; i < 1000; ++i) fixture.client.SendRaw(Http2Frame(NGHTTP2_CONTINUATION, 0, 1, ""));
  EXPECT_TRUE(fixture.client.UntilEnd());
}

// The code of the GOAWAY that ends such a connection. The error is reported once.
std::optional<std::uint32_t> Flood(const std::function<void(Http2Peer&, int)>& once, int times) {
  std::atomic<int> faults = 0;
  std::optional<std::uint32_t> goaway;
  {
    Http2GuestFixture fixture(EchoRequest, {}, {}, [&](const MalformedRequest& one) {
      if (one.message.starts_with("the connection broke HTTP/2")) ++faults;
    });
    EXPECT_TRUE(fixture.client.Sync());
    for (int i = 0; i < times; ++i) once(fixture.client, i);
    EXPECT_TRUE(fixture.client.UntilEnd());
    goaway = fixture.client.goaway;
  }
  EXPECT_EQ(faults, 1);
  return goaway;
}

TEST(Http2HostileTest, RapidResetsEndTheConnection) {
  auto once = [](Http2Peer& client, int) {
    auto id = client.Request(GetFields("/"));
    client.Flush();
    client.Reset(id, NGHTTP2_CANCEL);
    client.Flush();
  };
  EXPECT_EQ(Flood(once, 300), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2HostileTest, ResetsThatItMakesUsSendEndTheConnectionToo) {
  auto once = [](Http2Peer& client, int) {
    auto id = client.Request(PostFields("/", {{"content-length", "9"}}), "four");
    client.Flush();
    EXPECT_GT(id, 0);
  };
  EXPECT_EQ(Flood(once, 300), NGHTTP2_ENHANCE_YOUR_CALM);
}

// The client does not read the acknowledgements.
TEST(Http2HostileTest, FloodsOfPingsAndSettingsEndTheConnection) {
  auto ping = [](Http2Peer& client, int) {
    client.SendRaw(Http2Frame(NGHTTP2_PING, 0, 0, "12345678"));
  };
  Flood(ping, 11'000);
  auto settings = [](Http2Peer& client, int) {
    client.SendRaw(Http2Frame(NGHTTP2_SETTINGS, 0, 0, ""));
  };
  Flood(settings, 11'000);
}

TEST(Http2HostileTest, FloodsOfFramesThatCarryNothingEndTheConnection) {
  auto priority = [](Http2Peer& client, int) {
    client.SendRaw(Http2Frame(NGHTTP2_PRIORITY, 0, 1, std::string_view("\0\0\0\0\x10", 5)));
  };
  EXPECT_EQ(Flood(priority, 11'000), NGHTTP2_ENHANCE_YOUR_CALM);
  auto empty = [](Http2Peer& client, int i) {
    if (i == 0) client.Begin(PostFields("/"));
    client.Flush();
    client.SendRaw(Http2Frame(NGHTTP2_DATA, 0, 1, ""));
  };
  EXPECT_EQ(Flood(empty, 11'000), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2HostileTest, MoreStreamsThanAllowedAreRefused) {
  std::atomic<std::size_t> running = 0, most = 0;
  Http2GuestFixture fixture([&](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    most = std::max<std::size_t>(most, ++running);
    Result<std::string> piece = co_await exchange->ReadBody();
    --running;
    EXPECT_FALSE(piece.has_value());
  });
  ASSERT_TRUE(fixture.client.Sync());
  std::string block(
      "\x83\x87\x84\x41\x01"
      "a",
      6);  // POST https / with the authority "a"
  for (int i = 0; i < 200; ++i) {
    fixture.client.SendRaw(Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1 + 2 * i, block));
  }
  EXPECT_TRUE(fixture.client.UntilEnd());
  EXPECT_EQ(most, kHttp2StreamsMax);
}

TEST(Http2HostileTest, DataBeyondTheWindowIsRefused) {
  Http2GuestFixture fixture([](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    auto latch = std::make_shared<Http2Signal>(co_await asio::this_coro::executor);
    exchange->on_gone = [latch] { latch->Notify(); };
    co_await latch->Wait(std::chrono::hours(1));
    exchange->on_gone = nullptr;
  });
  ASSERT_TRUE(fixture.client.Sync());
  auto id = fixture.client.Begin(PostFields("/"));
  ASSERT_TRUE(fixture.client.Sync());
  std::string piece(16'384, 'x');
  for (int i = 0; i < 200; ++i) fixture.client.SendRaw(Http2Frame(NGHTTP2_DATA, 0, id, piece));
  auto refused = [&] { return fixture.client.streams[id].closed || fixture.client.goaway; };
  ASSERT_TRUE(fixture.client.Until(refused));
  std::uint32_t code =
      fixture.client.goaway.value_or(fixture.client.streams[id].closed.value_or(0));
  EXPECT_EQ(code, NGHTTP2_FLOW_CONTROL_ERROR);
}

TEST(Http2HostileTest, WhatIsNoHttp2EndsTheConnection) {
  for (std::string bytes :
       {std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), std::string(1000, '\0'),
        std::string(kPreface) + "garbage that is no frame of settings at all",
        std::string(kPreface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "odd"),
        std::string(kPreface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "") +
            Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 2, "\x82"),
        std::string(kPreface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "") +
            Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff")}) {
    Http2SocketPair pair = MakeHttp2SocketPair();
    Http2TestLoop loop;
    auto transport = loop.Adopt(std::move(pair.ours));
    std::vector<std::string> told;
    MalformedRequestHandler tell = [&](const MalformedRequest& one) {
      told.push_back(one.message);
    };
    auto served = loop.Start(ServeHttp2(*transport, "", EchoRequest, tell));
    ASSERT_EQ(::send(pair.theirs.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    char response[4096];
    while (::recv(pair.theirs.get(), response, sizeof response, 0) > 0) {
    }
    pair.theirs = UniqueFd();
    served.get();
    ASSERT_EQ(told.size(), 1u) << bytes;
    EXPECT_TRUE(told[0].starts_with("the connection broke HTTP/2 and was ended: ")) << told[0];
  }
}

}  // namespace
}  // namespace viv::gateway
