#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/http/connections.h"
#include "gateway/http/http1_test_support.h"

namespace viv::gateway {
namespace {

using std::chrono::seconds;

// The requests that were served.
struct GuestLog {
  std::vector<RequestHead> heads;
  std::vector<std::string> bodies;
  std::vector<Error> errors;
};

Task<Result<std::string>> ReadAll(std::shared_ptr<GuestExchange> exchange) {
  std::string body;
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange->ReadBody());
    if (piece.empty()) co_return body;
    body += piece;
  }
}

Task<void> RespondWith(std::shared_ptr<GuestExchange> exchange,
                       ResponseHead head,
                       std::string body) {
  Status sent = co_await exchange->SendHead(std::move(head));
  if (sent && !body.empty()) sent = co_await exchange->SendBody(std::move(body));
  http::Headers none;
  if (sent) sent = co_await exchange->Finish(std::move(none));
}

ResponseHead OkOf(std::size_t size) {
  ResponseHead head;
  head.status = 200;
  head.has_body = size > 0;
  head.body_bytes = size;
  return head;
}

// Reads every body and responds with its length as text.
Task<void> Echo(GuestLog& log, std::shared_ptr<GuestExchange> exchange) {
  log.heads.push_back(exchange->head());
  Result<std::string> body = co_await ReadAll(exchange);
  if (!body) {
    log.errors.push_back(body.error());
    exchange->Abort();
    co_return;
  }
  log.bodies.push_back(*body);
  std::string response = exchange->head().target + "=" + std::to_string(body->size());
  ResponseHead head = OkOf(response.size());
  if (exchange->head().method == "HEAD") response.clear();
  co_await RespondWith(exchange, std::move(head), std::move(response));
}

class Http1GuestTest : public testing::Test {
 protected:
  void Start(ExchangeHandler serve, std::string already_read = "") {
    peer.Spawn(ServeHttp1(*peer.transport, std::move(already_read), std::move(serve)));
  }
  void StartEcho(std::string already_read = "") {
    Start([this](std::shared_ptr<GuestExchange> exchange) { return Echo(log, exchange); },
          std::move(already_read));
  }

  TestPeer peer;
  GuestLog log;
};

TEST_F(Http1GuestTest, ServesOneRequestAfterTheOther) {
  StartEcho();
  peer.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo("=0"), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n/1=0");
  peer.Send("POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(peer.ReceiveTo("=3"), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n/2=3");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, ServesBytesAlreadyReadAndPipelinedRequests) {
  StartEcho("POST /1 HTTP/1.1\r\nHost: h\r\nContent-Len");
  peer.Send("gth: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_NE(peer.ReceiveTo("/3=0").find("/2=0"), std::string::npos);
  ASSERT_EQ(log.heads.size(), 3u);
  EXPECT_EQ(log.bodies[0], "ab");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, ReadsAChunkedBodyInWhateverPiecesItCame) {
  StartEcho();
  std::string request =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nTrailer: gone\r\n\r\n";
  for (char c : request) {
    peer.Send(std::string_view(&c, 1));
    peer.LetWork();
  }
  EXPECT_NE(peer.ReceiveTo("=8").find("/=8"), std::string::npos);
  EXPECT_EQ(log.bodies[0], "abcdefgh");
  EXPECT_TRUE(log.heads[0].has_body);
  EXPECT_FALSE(log.heads[0].body_bytes);
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, GivesABodyInPiecesOfBoundedSize) {
  std::size_t largest = 0, total = 0;
  auto measure = [&](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    for (;;) {
      auto piece = co_await exchange->ReadBody();
      if (!piece || piece->empty()) break;
      largest = std::max(largest, piece->size());
      total += piece->size();
    }
    ResponseHead head = OkOf(0);
    co_await RespondWith(exchange, std::move(head), "");
  };
  Start(measure);
  peer.Send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  peer.Send(std::string(1'000'000, 'x'));
  peer.ReceiveHead();
  EXPECT_EQ(total, 1'000'000u);
  EXPECT_LE(largest, 64u * 1024);
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, AnswersHeadWithoutABody) {
  StartEcho();
  peer.Send("HEAD /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo("/2=0"),
            "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n/2=0");
  peer.Close();
  peer.RunToEnd();
}

// Responds with pieces whose number is not announced.
Task<void> RespondInPieces(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head;
  head.status = 200;
  head.has_body = true;
  Status sent = co_await exchange->SendHead(std::move(head));
  std::string one = "one", two = "two";
  sent = co_await exchange->SendBody(std::move(one));
  sent = co_await exchange->SendBody(std::move(two));
  http::Headers trailers;
  trailers.Add("X-End", "1");
  sent = co_await exchange->Finish(std::move(trailers));
  EXPECT_TRUE(sent);
}

TEST_F(Http1GuestTest, SendsABodyOfUnknownLengthInChunksWithTrailers) {
  Start(RespondInPieces);
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  peer.ReceiveHead();
  EXPECT_EQ(peer.ReceiveHead(), "3\r\none\r\n3\r\ntwo\r\n0\r\nX-End: 1\r\n\r\n");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, SendsOldClientsABodyUntilTheEnd) {
  Start(RespondInPieces);
  peer.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(peer.ReceiveToEnd(), "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nonetwo");
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, KeepsAConnectionOnlyAsTheClientWants) {
  StartEcho();
  peer.Send("GET /1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(peer.ReceiveToEnd(),
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n/1=0");
  peer.RunToEnd();
}

// Sends a 100 before it reads.
Task<void> InviteAndEcho(GuestLog& log, std::shared_ptr<GuestExchange> exchange) {
  ResponseHead go_on;
  go_on.status = 100;
  Status sent = co_await exchange->SendHead(std::move(go_on));
  EXPECT_TRUE(sent);
  co_await Echo(log, exchange);
}

TEST_F(Http1GuestTest, ForwardsA100Continue) {
  Start([this](std::shared_ptr<GuestExchange> exchange) { return InviteAndEcho(log, exchange); });
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(peer.ReceiveHead(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(log.heads.size(), 1u);
  EXPECT_EQ(log.heads[0].headers.Get("expect"), "100-continue");
  peer.Send("ab");
  EXPECT_NE(peer.ReceiveTo("/=2").find("Content-Length: 3\r\n\r\n"), std::string::npos);
  peer.Send("GET /2 HTTP/1.0\r\nHost: h\r\n\r\n");
  // HTTP/1.0 has no interim responses.
  EXPECT_EQ(peer.ReceiveToEnd().find("100"), std::string::npos);
  peer.RunToEnd();
}

Task<void> Deny(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head = OkOf(2);
  head.status = 403;
  co_await RespondWith(exchange, std::move(head), "no");
}

TEST_F(Http1GuestTest, ClosesAConnectionWhoseBodyGotNo100Continue) {
  Start(Deny);
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo("no"),
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
  EXPECT_EQ(peer.ReceiveToEnd(), "");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, GoesOnAfterABodyThatNobodyReadButHasArrived) {
  Start(Deny);
  peer.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: "
      "h\r\n\r\n");
  peer.ReceiveTo("no");
  EXPECT_EQ(peer.ReceiveTo("no"), "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, EndsAConnectionWhoseUnreadBodyIsStillToCome) {
  Start(Deny);
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\nabc");
  EXPECT_NE(peer.ReceiveTo("no").find("Connection: close"), std::string::npos);
  EXPECT_EQ(peer.ReceiveToEnd(), "");
  EXPECT_FALSE(peer.was_reset());  // otherwise the response could be lost
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, ReportsMalformedRequests) {
  std::vector<MalformedRequest> told;
  ExchangeHandler serve = Deny;
  MalformedRequestHandler tell = [&](const MalformedRequest& request) { told.push_back(request); };
  for (std::string request :
       {"POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET http://b/c HTTP/1.1\r\nHost: a\r\n\r\n", "rubbish\r\n\r\n"}) {
    TestPeer own;
    own.Spawn(ServeHttp1(*own.transport, "", serve, tell));
    own.Send(request);
    own.ReceiveToEnd();
    own.Close();
    own.RunToEnd();
  }
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].method, "POST");
  EXPECT_EQ(told[0].target, "/a?b");
  EXPECT_EQ(told[0].status, 400);
  EXPECT_EQ(told[1].message, "the request target and Host name different hosts");
  EXPECT_EQ(told[2].message, "malformed request");
}

Task<void> AcceptUpgrade(std::shared_ptr<GuestExchange> exchange) {
  EXPECT_EQ(exchange->head().upgrade, "websocket");
  ResponseHead head;
  head.status = 101;
  head.headers.Add("Upgrade", "websocket");
  Status sent = co_await exchange->SendHead(std::move(head));
  EXPECT_TRUE(sent);
  http::ByteStream* stream = exchange->upgraded();
  EXPECT_NE(stream, nullptr);
  for (;;) {
    auto bytes = co_await stream->Read();
    if (!bytes || bytes->empty()) break;
    std::string back = "<" + *bytes + ">";
    sent = co_await stream->Write(std::move(back));
  }
}

TEST_F(Http1GuestTest, GivesTheBytesAfterAnUpgrade) {
  Start(AcceptUpgrade);
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst");
  EXPECT_EQ(
      peer.ReceiveHead(),
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo(">"), "<first>");
  peer.Send("GET /smuggled HTTP/1.1\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo(">"), "<GET /smuggled HTTP/1.1\r\n\r\n>");
  peer.CloseWrite();
  EXPECT_EQ(peer.ReceiveToEnd(), "");
  peer.RunToEnd();
}

std::string StatusLineOf(const std::string& response) {
  return response.substr(0, response.find("\r\n"));
}

TEST_F(Http1GuestTest, AnswersWhatIsNoRequest) {
  struct Case {
    std::string request, response;
  };
  for (const Case& bad : std::vector<Case>{
           {"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 403 Forbidden"},
           {"rubbish\r\n\r\n", "HTTP/1.1 400 Bad Request"},
           {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
           {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 Bad Request"},
           {"GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request"},
           {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 400 Bad Request"},
           {"GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(70'000, 'x'),
            "HTTP/1.1 431 Request Header Fields Too Large"}}) {
    TestPeer own;
    auto refuse = [](std::shared_ptr<GuestExchange>) -> Task<void> {
      ADD_FAILURE() << "it was served";
      co_return;
    };
    own.Spawn(ServeHttp1(*own.transport, "", refuse));
    own.Send(bad.request);
    EXPECT_EQ(StatusLineOf(own.ReceiveToEnd()), bad.response) << bad.request.substr(0, 80);
    own.Close();
    own.RunToEnd();
  }
}

TEST_F(Http1GuestTest, TellsABodyThatBreaksItsFraming) {
  StartEcho();
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  peer.RunToEnd();
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_EQ(log.errors[0].code, ErrorCode::kInvalidArgument);
}

TEST_F(Http1GuestTest, TellsAGuestThatLeavesInTheMiddleOfABody) {
  StartEcho();
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  peer.LetWork();
  peer.Close();
  peer.RunToEnd();
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_EQ(log.errors[0].code, ErrorCode::kUnavailable);
}

TEST_F(Http1GuestTest, EndsAnIdleConnection) {
  StartEcho();
  peer.LetWork();
  peer.PassTime(seconds(74));
  peer.LetWork();
  EXPECT_FALSE(peer.all_ended());
  peer.PassTime(seconds(76));
  EXPECT_EQ(peer.ReceiveToEnd(), "");
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, EndsAHeadThatTakesTooLong) {
  StartEcho();
  peer.Send("GET / HT");
  peer.LetWork();
  peer.PassTime(seconds(9));
  peer.Send("TP/1.1\r\nA");
  peer.LetWork();
  peer.PassTime(seconds(11));  // counted from its first byte, whatever came later
  EXPECT_EQ(StatusLineOf(peer.ReceiveToEnd()), "HTTP/1.1 408 Request Timeout");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1GuestTest, EndsABodyWithoutProgress) {
  StartEcho();
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  peer.LetWork();
  peer.PassTime(seconds(299));
  peer.LetWork();
  EXPECT_TRUE(log.errors.empty());
  peer.PassTime(seconds(301));
  peer.RunToEnd();
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_EQ(log.errors[0].message, "the guest fell silent");
}

Task<void> BreakOff(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head = OkOf(10);
  Status sent = co_await exchange->SendHead(std::move(head));
  std::string half = "half";
  sent = co_await exchange->SendBody(std::move(half));
  exchange->Abort();
  std::string late = "late";
  sent = co_await exchange->SendBody(std::move(late));
  EXPECT_FALSE(sent);
}

TEST_F(Http1GuestTest, ShowsThatAnAnswerIsNotWhole) {
  Start(BreakOff);
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveToEnd().find("late"), std::string::npos);
  EXPECT_TRUE(peer.was_reset());
  peer.RunToEnd();
}

Task<void> PromiseTooMuch(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head = OkOf(10);
  Status sent = co_await exchange->SendHead(std::move(head));
  std::string half = "half";
  sent = co_await exchange->SendBody(std::move(half));
  http::Headers none;
  sent = co_await exchange->Finish(std::move(none));
  EXPECT_FALSE(sent);
}

TEST_F(Http1GuestTest, TakesNoAnswerForWholeThatIsShorterThanItPromised) {
  Start(PromiseTooMuch);
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  peer.ReceiveToEnd();
  EXPECT_TRUE(peer.was_reset());
  peer.RunToEnd();
}

Task<void> SayNothing(std::shared_ptr<GuestExchange>) {
  co_return;
}

TEST_F(Http1GuestTest, ResetsAConnectionWhoseRequestNobodyAnswered) {
  Start(SayNothing);
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveToEnd(), "");
  EXPECT_TRUE(peer.was_reset());
  peer.RunToEnd();
}

}  // namespace
}  // namespace viv::gateway
