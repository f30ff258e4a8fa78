#include "http/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/relay_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kPlainGet[] = "GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(RelayTest, PassesARequestAndItsResponse) {
  for (bool unix_socket : {false, true}) {
    RelayRig rig(unix_socket ? ConnectUnixPair() : ConnectTcpPair());
    rig.client->Send("GET /a?b HTTP/1.1\r\nHost: h\r\nX-One: 1\r\n\r\n");
    EXPECT_EQ(rig.upstream->ReadThrough("\r\n\r\n"),
              "GET /a?b HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nConnection: close\r\n\r\n");
    rig.upstream->Send("HTTP/1.1 201 Made\r\nX-Two: 2\r\nContent-Length: 2\r\n\r\nok");
    RawClient::RawResponse answer = rig.client->ReadResponse();
    EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 201 Created\r\n"));
    EXPECT_THAT(answer.head, HasSubstr("X-Two: 2\r\n"));
    EXPECT_EQ(answer.body, "ok");
    EXPECT_EQ(rig.upstream->ReadToEnd(), "");
  }
}

TEST(RelayTest, TakesHeadersOfOneHopOut) {
  RelayOptions options;
  options.host = "inner:8080";
  options.dropped = {"x-secret"};
  RelayRig rig(ConnectTcpPair(), options);
  rig.client->Send(
      "GET / HTTP/1.1\r\nHost: outer\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n"
      "Keep-Alive: 5\r\nTE: trailers\r\nProxy-Authorization: p\r\nX-Secret: s\r\nX-Kept: k\r\n"
      "Upgrade: h2c\r\n\r\n");
  EXPECT_EQ(rig.upstream->ReadThrough("\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: inner:8080\r\nX-Kept: k\r\nConnection: close\r\n\r\n");
  rig.upstream->Send(
      "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nX-Kept: k\r\n"
      "Content-Length: 0\r\n\r\n");
  std::string head = rig.client->ReadResponse().head;
  EXPECT_THAT(head, Not(HasSubstr("Hop")));
  EXPECT_THAT(head, Not(HasSubstr("Keep-Alive")));
  EXPECT_THAT(head, HasSubstr("X-Kept: k\r\n"));
}

TEST(RelayTest, SendsAnAbsoluteTargetAsAPath) {
  RelayRig rig;
  rig.client->Send("GET http://h/a?b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(rig.upstream->ReadThrough("\r\n\r\n"), StartsWith("GET /a?b HTTP/1.1\r\n"));
}

TEST(RelayTest, PassesABodyThatWasReadBefore) {
  RelayRig rig(ConnectTcpPair(), {}, ServerOptions());
  rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.client->Send("2\r\nab\r\n0\r\n\r\n");
  EXPECT_THAT(rig.upstream->ReadThrough("ab"),
              EndsWith("Content-Length: 2\r\nConnection: close\r\n\r\nab"));
}

TEST(RelayTest, PassesASmallAndALargeBodyWithItsLength) {
  for (std::size_t size : {3, 3 << 20}) {
    RelayRig rig;
    std::string body(size - 1, 'b');
    body += 'E';
    std::thread sender([&rig, &body] {
      rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body);
    });
    std::string head = rig.upstream->ReadThrough("\r\n\r\n");
    EXPECT_THAT(head, HasSubstr("Content-Length: " + std::to_string(size) + "\r\n"));
    EXPECT_EQ(rig.upstream->ReadThrough("E"), body);
    sender.join();
    rig.upstream->Send("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_THAT(rig.client->ReadResponse().head, StartsWith("HTTP/1.1 204 "));
  }
}

TEST(RelayTest, PassesAChunkedBodyWhileItArrives) {
  RelayRig rig;
  rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(rig.upstream->ReadThrough("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  rig.client->Send("3\r\none\r\n");
  EXPECT_EQ(rig.upstream->ReadThrough("one\r\n"), "3\r\none\r\n");
  rig.client->Send("3\r\ntwo\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(rig.upstream->ReadThrough("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
}

TEST(RelayTest, StreamsTheResponseWhileTheRequestStillArrives) {
  RelayRig rig;
  rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.client->ReadThrough("\r\n\r\n");
  for (std::string word : {"one", "two"}) {
    rig.client->Send("3\r\n" + word + "\r\n");
    EXPECT_EQ(rig.upstream->ReadThrough(word + "\r\n"), "3\r\n" + word + "\r\n");
    rig.upstream->Send("3\r\n" + word + "\r\n");
    EXPECT_EQ(rig.client->ReadThrough(word + "\r\n"), "3\r\n" + word + "\r\n");
  }
  rig.client->Send("0\r\n\r\n");
  rig.upstream->ReadThrough("0\r\n\r\n");
  rig.upstream->Send("0\r\n\r\n");
  EXPECT_EQ(rig.client->ReadThrough("0\r\n\r\n"), "0\r\n\r\n");
}

TEST(RelayTest, KeepsTheLengthOfAStreamedResponse) {
  RelayRig rig;
  rig.client->Send(kPlainGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none");
  EXPECT_THAT(rig.client->ReadThrough("\r\n\r\n"), HasSubstr("Content-Length: 6\r\n"));
  EXPECT_EQ(rig.client->ReadThrough("one"), "one");
  rig.upstream->Send("two");
  EXPECT_EQ(rig.client->ReadThrough("two"), "two");
}

TEST(RelayTest, PassesABodyThatEndsWithItsConnection) {
  RelayRig rig;
  rig.client->Send(kPlainGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.0 200 OK\r\n\r\nall");
  rig.upstream.reset();
  rig.client->ReadThrough("\r\n\r\n");
  EXPECT_EQ(rig.client->ReadThrough("0\r\n\r\n"), "3\r\nall\r\n0\r\n\r\n");
}

TEST(RelayTest, PassesMuch) {
  RelayRig rig(ConnectUnixPair());
  rig.client->Send("GET / HTTP/1.0\r\n\r\n");
  rig.upstream->ReadThrough("\r\n\r\n");
  std::string body(8 << 20, 'x');
  std::thread sender([&rig, &body] {
    rig.upstream->Send("HTTP/1.1 200 OK\r\n\r\n" + body);
    rig.upstream.reset();
  });
  rig.client->ReadThrough("\r\n\r\n");
  EXPECT_EQ(rig.client->ReadToEnd(), body);
  sender.join();
}

TEST(RelayTest, SkipsInterimResponses) {
  RelayRig rig;
  rig.client->Send(kPlainGet);
  rig.upstream->Send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(rig.client->ReadResponse().head, StartsWith("HTTP/1.1 200 "));
}

TEST(RelayTest, KnowsResponsesWithoutABody) {
  {
    RelayRig rig;
    rig.client->Send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    rig.upstream->Send("HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n");
    EXPECT_THAT(rig.client->ReadToEnd(), HasSubstr("Content-Length: 77\r\n"));
  }
  for (std::string status : {"204 No Content", "304 Not Modified"}) {
    RelayRig rig;
    rig.client->Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    rig.upstream->Send("HTTP/1.1 " + status + "\r\nETag: x\r\n\r\n");
    std::string answer = rig.client->ReadToEnd();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + status));
    EXPECT_THAT(answer, HasSubstr("ETag: x\r\n"));
  }
}

TEST(RelayTest, AnEarlyResponseIsNotHeldUpByAnUpstreamThatStopsReading) {
  RelayRig rig;
  std::thread sender([&rig] {
    rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20000000\r\n\r\n" +
                     std::string(20'000'000, 'x'));
  });
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 413 Too large\r\nContent-Length: 2\r\n\r\nno");
  RawClient::RawResponse answer = rig.client->ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(answer.body, "no");
  sender.join();
}

}  // namespace
}  // namespace viv::http
