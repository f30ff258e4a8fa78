#include "http/request_parser.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

using ParserState = RequestParser::State;
constexpr RequestParser::Limits kParserLimits{.header_bytes = 1024, .body_bytes = 100};

// Feeds `text` in pieces of `step` bytes, keeping what was not consumed, until something is
// decided.
ParserState FeedRequest(RequestParser& parser,
                        std::string_view text,
                        std::size_t step = std::string::npos) {
  std::string pending;
  for (;;) {
    RequestParser::Step fed = parser.Feed(pending);
    pending.erase(0, fed.consumed);
    if (fed.state == ParserState::kDone || fed.state == ParserState::kBroken) return fed.state;
    if (fed.state == ParserState::kHeadDone) continue;
    if (text.empty()) return fed.state;
    pending += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
}

int RefusalOf(std::string_view text) {
  RequestParser parser(kParserLimits);
  return FeedRequest(parser, text) == ParserState::kBroken ? parser.error().status : 0;
}

TEST(RequestParserTest, ReadsARequestWhateverItsPieces) {
  std::string text =
      "POST /a/b?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-One:  two \r\n\r\nhello";
  for (std::size_t step : {1, 2, 3, 7, 1000}) {
    RequestParser parser(kParserLimits);
    ASSERT_EQ(FeedRequest(parser, text, step), ParserState::kDone) << step;
    EXPECT_EQ(parser.request().method, "POST");
    EXPECT_EQ(parser.request().target, "/a/b?x=1");
    EXPECT_EQ(parser.request().path, "/a/b");
    EXPECT_EQ(parser.request().query, "x=1");
    EXPECT_EQ(parser.request().headers.Get("x-one"), "two");
    EXPECT_EQ(parser.request().body, "hello");
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(RequestParserTest, ReadsAChunkedBodyWhateverItsPieces) {
  std::string text =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t step : {1, 2, 5, 1000}) {
    RequestParser parser(kParserLimits);
    ASSERT_EQ(FeedRequest(parser, text, step), ParserState::kDone) << step;
    EXPECT_EQ(parser.request().body, "abcdefg");
    EXPECT_FALSE(parser.request().headers.Has("trailer"));
  }
}

TEST(RequestParserTest, LeavesTheNextRequestUnread) {
  RequestParser parser(kParserLimits);
  std::string_view text = "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n";
  RequestParser::Step first = parser.Feed(text);
  ASSERT_EQ(first.state, ParserState::kDone);
  EXPECT_EQ(parser.request().path, "/1");
  parser.Reset();
  ASSERT_EQ(parser.Feed(text.substr(first.consumed)).state, ParserState::kDone);
  EXPECT_EQ(parser.request().path, "/2");
}

TEST(RequestParserTest, ResetForgetsTheOldRequest) {
  RequestParser parser(kParserLimits);
  FeedRequest(parser, "POST /1?q HTTP/1.1\r\nHost: h\r\nX: y\r\nContent-Length: 1\r\n\r\na");
  parser.request().identity.account_id = "somebody";
  parser.Reset();
  FeedRequest(parser, "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(parser.request().body, "");
  EXPECT_EQ(parser.request().query, "");
  EXPECT_FALSE(parser.request().headers.Has("x"));
  EXPECT_EQ(parser.request().identity.account_id, "");
}

TEST(RequestParserTest, TellsWhenTheHeadIsDoneAndABodyFollows) {
  RequestParser parser(kParserLimits);
  std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n";
  EXPECT_EQ(parser.Feed(head).state, ParserState::kHeadDone);
  EXPECT_TRUE(parser.wants_continue());
}

TEST(RequestParserTest, IgnoresEmptyLinesBeforeARequest) {
  RequestParser parser(kParserLimits);
  EXPECT_EQ(FeedRequest(parser, "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 1),
            ParserState::kDone);
}

TEST(RequestParserTest, TakesThePathOutOfAnAbsoluteTarget) {
  RequestParser parser(kParserLimits);
  ASSERT_EQ(FeedRequest(parser, "GET http://h:1/a?b HTTP/1.1\r\nHost: h\r\n\r\n"),
            ParserState::kDone);
  EXPECT_EQ(parser.request().path, "/a");
  EXPECT_EQ(parser.request().query, "b");
  for (auto [target, query] : {std::pair{"https://h:1", ""}, {"https://h:1?/b", "/b"}}) {
    RequestParser other(kParserLimits);
    ASSERT_EQ(FeedRequest(other, "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n"),
              ParserState::kDone);
    EXPECT_EQ(other.request().path, "/");
    EXPECT_EQ(other.request().query, query);
  }
}

TEST(RequestParserTest, KnowsWhoKeepsConnectionsAlive) {
  auto keeps = [](std::string_view text) {
    RequestParser parser(kParserLimits);
    EXPECT_EQ(FeedRequest(parser, text), ParserState::kDone);
    return parser.keep_alive();
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParserTest, KnowsAWebSocketHandshake) {
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\n";
  std::string rest = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: abc\r\n\r\n";
  auto wants = [](const std::string& text) {
    RequestParser parser(kParserLimits);
    EXPECT_EQ(FeedRequest(parser, text), ParserState::kDone);
    return parser.wants_web_socket();
  };
  EXPECT_TRUE(wants(head + "Upgrade: WebSocket\r\n" + rest));
  EXPECT_FALSE(wants(head + "Upgrade: h2c\r\n" + rest));
  EXPECT_FALSE(wants(head + "Upgrade: websocket\r\n\r\n"));
}

TEST(RequestParserTest, RefusesGarbage) {
  EXPECT_EQ(RefusalOf("\x16\x03\x01 hello\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/3.0\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost: h\r\nBad Name: x\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n"), 400);
}

TEST(RequestParserTest, RefusesWhatTwoParsersCouldReadDifferently) {
  std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(RefusalOf(head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "Content-Length: 0x1\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "Transfer-Encoding: gzip\r\n\r\n"), 501);
  EXPECT_EQ(RefusalOf(head + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(RefusalOf(head + "Host: other\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\n\r\n"), 400);
}

TEST(RequestParserTest, RefusesABrokenChunk) {
  std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(RefusalOf(head + "zz\r\nabc\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "3\r\nabcd\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(head + "fffffffffffffffff\r\n"), 400);
}

TEST(RequestParserTest, LimitsTheHeader) {
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(RefusalOf(head + "X: " + std::string(2000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(RefusalOf(head + "X: " + std::string(2000, 'x')), 431);
  EXPECT_EQ(RefusalOf("GET /" + std::string(2000, 'x')), 431);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "X: yyyyy\r\n";
  RequestParser parser(kParserLimits);
  EXPECT_EQ(FeedRequest(parser, head + many + "\r\n", 10), ParserState::kBroken);
  EXPECT_EQ(parser.error().status, 431);
}

TEST(RequestParserTest, LimitsTheNumberOfHeaders) {
  RequestParser parser({.header_bytes = 1 << 20, .body_bytes = 1});
  std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 1000; ++i) text += "a: b\r\n";
  EXPECT_EQ(FeedRequest(parser, text + "\r\n"), ParserState::kBroken);
  EXPECT_EQ(parser.error().status, 431);
}

TEST(RequestParserTest, LimitsTheBodyBeforeItArrives) {
  std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(RefusalOf(head + "Content-Length: 101\r\n\r\n"), 413);
  EXPECT_EQ(RefusalOf(head + "Transfer-Encoding: chunked\r\n\r\n65\r\n"), 413);
  EXPECT_EQ(RefusalOf(head + "Content-Length: 99999999999999999999\r\n\r\n"), 400);
}

TEST(RequestParserTest, LimitsChunkExtensionsAndTrailers) {
  std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(RefusalOf(head + "1;x=" + std::string(5000, 'x')), 431);
  EXPECT_EQ(RefusalOf(head + "0\r\nT: " + std::string(5000, 'x')), 431);
}

TEST(RequestParserTest, WaitsForTheRestOfATruncatedRequest) {
  RequestParser parser(kParserLimits);
  EXPECT_EQ(FeedRequest(parser, "GET / HTTP/1.1\r\nHost: h\r\n"), ParserState::kNeedsMore);
  EXPECT_TRUE(parser.started());
}

}  // namespace
}  // namespace viv::http
