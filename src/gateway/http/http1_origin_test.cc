#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/http/connections.h"
#include "gateway/http/http1_test_support.h"
#include "http/stream_transport.h"

namespace viv::gateway {
namespace {

using std::chrono::seconds;

RequestHead GetOf(std::string target) {
  RequestHead head;
  head.method = "GET";
  head.authority = "origin.example";
  head.target = std::move(target);
  return head;
}

struct ResponseRead {
  std::vector<ResponseHead> heads;  // interim ones, then the final one
  std::string body;
  http::Headers trailers;
  Status status;
  OriginExchange::Delivery delivery = OriginExchange::Delivery::kMaybeProcessed;
  bool done = false;
};

Task<Status> ReadResponse(OriginExchange& exchange, ResponseRead& into) {
  do {
    ASSIGN_OR_CO_RETURN(ResponseHead head, co_await exchange.ReadHead());
    into.heads.push_back(std::move(head));
  } while (into.heads.back().status < 200 && into.heads.back().status != 101);
  while (into.heads.back().has_body) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange.ReadBody());
    if (piece.empty()) break;
    EXPECT_LE(piece.size(), 64u * 1024);
    into.body += piece;
  }
  into.trailers = exchange.trailers();
  co_return Status();
}

Task<void> AskOrigin(std::shared_ptr<OriginConnection> connection,
                     RequestHead head,
                     std::vector<std::string> body,
                     ResponseRead& into) {
  auto exchange = connection->Open();
  EXPECT_TRUE(exchange);
  bool has_body = head.has_body;
  into.status = co_await (*exchange)->SendHead(std::move(head));
  for (std::string& piece : body) {
    if (into.status) into.status = co_await (*exchange)->SendBody(std::move(piece));
  }
  http::Headers none;
  if (into.status && has_body) into.status = co_await (*exchange)->Finish(std::move(none));
  if (into.status) into.status = co_await ReadResponse(**exchange, into);
  into.delivery = (*exchange)->delivery();
  exchange->reset();
  into.done = true;
}

class Http1OriginTest : public testing::Test {
 protected:
  Http1OriginTest() : connection(MakeHttp1Origin(std::move(peer.transport))) {}

  void Ask(RequestHead head, std::vector<std::string> body = {}) {
    response_read = ResponseRead();
    peer.Spawn(AskOrigin(connection, std::move(head), std::move(body), response_read));
  }
  // Sends a simple request and lets the peer respond with this.
  void AskFor(std::string response) {
    Ask(GetOf("/"));
    peer.ReceiveHead();
    peer.Send(response);
  }
  void Await() {
    EXPECT_TRUE(peer.Until([this] { return response_read.done; }));
  }
  void PassTime(seconds time) { connection->Tick(std::chrono::steady_clock::now() + time); }

  TestPeer peer;
  std::shared_ptr<OriginConnection> connection;
  ResponseRead response_read;
};

TEST_F(Http1OriginTest, AsksOneAfterTheOtherOnOneConnection) {
  for (std::string target : {"/1", "/2"}) {
    EXPECT_TRUE(connection->CanOpen());
    Ask(GetOf(target));
    EXPECT_EQ(peer.ReceiveHead(), "GET " + target + " HTTP/1.1\r\nHost: origin.example\r\n\r\n");
    EXPECT_FALSE(connection->CanOpen());
    EXPECT_FALSE(connection->IsIdle());
    EXPECT_FALSE(connection->Open());
    peer.Send(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive, X\r\nX: y\r\n\r\nhello");
    Await();
    ASSERT_TRUE(response_read.status) << response_read.status.error().message;
    EXPECT_EQ(response_read.heads[0].status, 200);
    EXPECT_EQ(response_read.heads[0].body_bytes, 5u);
    EXPECT_FALSE(response_read.heads[0].headers.Has("connection"));
    EXPECT_FALSE(response_read.heads[0].headers.Has("x"));
    EXPECT_EQ(response_read.body, "hello");
    EXPECT_TRUE(connection->IsIdle());
  }
}

TEST_F(Http1OriginTest, ReadsChunksAndTrailersAndKeepsTheConnection) {
  AskFor(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n"
      "grpc-status: 0\r\n\r\n");
  Await();
  ASSERT_TRUE(response_read.status);
  EXPECT_EQ(response_read.body, "onetwo");
  EXPECT_EQ(response_read.trailers.Get("grpc-status"), "0");
  EXPECT_TRUE(connection->CanOpen());
}

TEST_F(Http1OriginTest, ReadsABodyUntilTheEndAndIsSpentThen) {
  AskFor("HTTP/1.1 200 OK\r\n\r\nall there is");
  peer.CloseWrite();
  Await();
  ASSERT_TRUE(response_read.status);
  EXPECT_EQ(response_read.body, "all there is");
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, IsNotUsedAgainAsTheOriginSays) {
  AskFor("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n");
  Await();
  EXPECT_TRUE(response_read.status);
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, IsNotUsedAgainWithAnOldOrigin) {
  AskFor("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n");
  Await();
  EXPECT_TRUE(response_read.status);
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, IsNotUsedAgainAfterBytesThatNobodyAskedFor) {
  AskFor("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nforged");
  Await();
  EXPECT_TRUE(response_read.status);
  EXPECT_EQ(response_read.body, "ok");
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, IsNotUsedAgainAfterAnAnswerThatCameLaterUnasked) {
  AskFor("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  Await();
  EXPECT_TRUE(connection->CanOpen());
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged");
  EXPECT_FALSE(connection->Open());
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, SendsBodiesAsTheyWereAnnounced) {
  RequestHead head = GetOf("/");
  head.method = "PUT";
  head.has_body = true;
  Ask(head, {"abc", "defgh"});
  EXPECT_NE(peer.ReceiveHead().find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(peer.ReceiveTo("0\r\n\r\n"), "3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n");
  peer.Send("HTTP/1.1 204 No Content\r\n\r\n");
  Await();
  EXPECT_TRUE(connection->CanOpen());
  head.body_bytes = 8;
  Ask(head, {"abc", "defgh"});
  EXPECT_NE(peer.ReceiveHead().find("Content-Length: 8"), std::string::npos);
  EXPECT_EQ(peer.ReceiveTo("h"), "abcdefgh");
  peer.Send("HTTP/1.1 204 No Content\r\n\r\n");
  Await();
  EXPECT_TRUE(response_read.status);
}

TEST_F(Http1OriginTest, KeepsABodyToItsLength) {
  RequestHead head = GetOf("/");
  head.has_body = true;
  head.body_bytes = 2;
  Ask(head, {"abc"});
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, PassesInterimAnswersOn) {
  AskFor(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  Await();
  ASSERT_EQ(response_read.heads.size(), 3u);
  EXPECT_EQ(response_read.heads[0].status, 100);
  EXPECT_EQ(response_read.heads[1].status, 103);
  EXPECT_EQ(response_read.heads[1].headers.Get("link"), "</a>");
  EXPECT_EQ(response_read.heads[2].status, 200);
  EXPECT_FALSE(response_read.heads[2].headers.Has("link"));
  EXPECT_TRUE(connection->CanOpen());
}

TEST_F(Http1OriginTest, TakesAnAnswerToHeadForWhole) {
  RequestHead head = GetOf("/");
  head.method = "HEAD";
  Ask(head);
  peer.ReceiveHead();
  peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  Await();
  ASSERT_TRUE(response_read.status);
  EXPECT_EQ(response_read.heads[0].headers.Get("content-length"), "500");
  EXPECT_FALSE(response_read.heads[0].has_body);
  EXPECT_TRUE(connection->CanOpen());
}

Task<void> TalkAfterUpgrade(std::shared_ptr<OriginConnection> connection, bool& done) {
  auto exchange = connection->Open();
  RequestHead head = GetOf("/");
  head.upgrade = "websocket";
  Status sent = co_await (*exchange)->SendHead(std::move(head));
  auto response = co_await (*exchange)->ReadHead();
  EXPECT_TRUE(response && response->status == 101);
  EXPECT_EQ(response->headers.Get("upgrade"), "websocket");
  http::ByteStream* stream = (*exchange)->upgraded();
  EXPECT_NE(stream, nullptr);
  auto first = co_await stream->Read();
  EXPECT_EQ(*first, "first");
  std::string back = "back";
  sent = co_await stream->Write(std::move(back));
  EXPECT_TRUE(sent);
  exchange->reset();
  done = true;
}

TEST_F(Http1OriginTest, GivesTheBytesAfterAnUpgrade) {
  bool done = false;
  peer.Spawn(TalkAfterUpgrade(connection, done));
  std::string head = peer.ReceiveHead();
  EXPECT_NE(head.find("Connection: Upgrade\r\nUpgrade: websocket\r\n"), std::string::npos);
  peer.Send("HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst");
  EXPECT_EQ(peer.ReceiveTo("back"), "back");
  EXPECT_TRUE(peer.Until([&] { return done; }));
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, RefusesAnUpgradeThatNobodyAskedFor) {
  AskFor("HTTP/1.1 101 Go\r\nUpgrade: websocket\r\n\r\n");
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, RefusesGarbageAndEndlessHeads) {
  std::string endless = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 200; ++i) endless += "A: " + std::string(1000, 'x') + "\r\n";
  for (std::string response :
       {std::string("SSH-2.0-OpenSSH\r\n"), std::string("HTTP/1.1 200 OK\r\nbroken\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        endless}) {
    TestPeer own;
    auto origin = MakeHttp1Origin(std::move(own.transport));
    ResponseRead got;
    own.Spawn(AskOrigin(origin, GetOf("/"), {}, got));
    own.ReceiveHead();
    own.Send(response);
    EXPECT_TRUE(own.Until([&] { return got.done; }));
    EXPECT_FALSE(got.status) << response.substr(0, 40);
    EXPECT_EQ(got.delivery, OriginExchange::Delivery::kMaybeProcessed);
    EXPECT_FALSE(origin->CanOpen());
  }
}

TEST_F(Http1OriginTest, TakesNoBodyForWholeThatIsCut) {
  for (std::string response :
       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}) {
    TestPeer own;
    auto origin = MakeHttp1Origin(std::move(own.transport));
    ResponseRead got;
    own.Spawn(AskOrigin(origin, GetOf("/"), {}, got));
    own.ReceiveHead();
    own.Send(response);
    own.CloseWrite();
    EXPECT_TRUE(own.Until([&] { return got.done; }));
    EXPECT_FALSE(got.status);
    EXPECT_EQ(got.body, "half");
  }
}

// A transport that ends without close_notify.
class CutTransport final : public http::StreamTransport<http::StreamSocket> {
 public:
  using StreamTransport::StreamTransport;
  bool secure() const override { return true; }
  Task<bool> Handshake() override { co_return true; }
  std::size_t TryWrite(const Pieces&) override { return 0; }
  Task<std::size_t> Read(char* into, std::size_t size) override {
    std::size_t count = co_await StreamTransport::Read(into, size);
    if (count == 0) set_read_failed();
    if (count == 0) set_read_truncated();
    co_return count;
  }
};

TEST_F(Http1OriginTest, AnEndWithoutCloseNotifyCountsOnlyForABodyWithoutLength) {
  for (std::string response : {"HTTP/1.0 200 OK\r\n\r\nall", "HTTP/1.1 200 OK\r\n\r\nall",
                               "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nall",
                               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nall\r\n",
                               "HTTP/1.1 200 OK\r\nX: y"}) {
    TestPeer own;
    auto [near, far] = MakeTcpPair();
    http::StreamSocket socket = *http::AdoptSocket(own.io.get_executor(), std::move(near));
    http::PrepareSocket(socket);
    auto origin = MakeHttp1Origin(std::make_unique<CutTransport>(std::move(socket)));
    ResponseRead got;
    own.Spawn(AskOrigin(origin, GetOf("/"), {}, got));
    own.LetWork();
    EXPECT_EQ(::send(far.get(), response.data(), response.size(), 0),
              static_cast<ssize_t>(response.size()));
    ::shutdown(far.get(), SHUT_WR);
    EXPECT_TRUE(own.Until([&] { return got.done; }));
    EXPECT_EQ(got.status.has_value(),
              response.ends_with("\r\n\r\nall") && response.find("Length") == std::string::npos)
        << response;
  }
}

TEST_F(Http1OriginTest, MayBeAskedElsewhereOnlyWhenAReusedConnectionWasDead) {
  AskFor("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  Await();
  Ask(GetOf("/"));
  peer.ReceiveHead();
  peer.Close();
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_EQ(response_read.delivery, OriginExchange::Delivery::kMaybeLost);
}

TEST_F(Http1OriginTest, IsNotAskedElsewhereWhenAFreshConnectionDies) {
  Ask(GetOf("/"));
  peer.ReceiveHead();
  peer.Close();
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_EQ(response_read.delivery, OriginExchange::Delivery::kMaybeProcessed);
}

TEST_F(Http1OriginTest, IsNotAskedElsewhereOnceTheAnswerBegan) {
  AskFor("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  Await();
  AskFor("HTTP/1.1 2");
  peer.CloseWrite();
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_EQ(response_read.delivery, OriginExchange::Delivery::kMaybeProcessed);
}

TEST_F(Http1OriginTest, IsNotOpenedWhenTheOriginHasClosedItMeanwhile) {
  EXPECT_TRUE(connection->CanOpen());
  peer.CloseWrite();
  EXPECT_TRUE(connection->IsIdle());
  EXPECT_FALSE(connection->CanOpen());
}

TEST_F(Http1OriginTest, WaitsForAnAnswerOnlySoLong) {
  Ask(GetOf("/"));
  peer.ReceiveHead();
  peer.LetWork();
  PassTime(seconds(299));
  peer.LetWork();
  EXPECT_FALSE(response_read.done);
  PassTime(seconds(301));
  Await();
  EXPECT_FALSE(response_read.status);
}

TEST_F(Http1OriginTest, SendsNothingOfARequestThatWouldBecomeAnotherOne) {
  RequestHead head = GetOf("/");
  head.headers.Add("Authorization", "Bearer x\r\nHost: evil");
  Ask(head);
  Await();
  EXPECT_FALSE(response_read.status);
  EXPECT_EQ(response_read.status.error().message.find("Bearer"), std::string::npos);
  EXPECT_EQ(peer.ReceiveToEnd(), "");
}

}  // namespace
}  // namespace viv::gateway
