#include "http/response_parser.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

using ResponseParserState = ResponseParser::State;

struct ParsedResponse {
  ResponseParserState end = ResponseParserState::kNeedsMore;
  int status = 0;
  std::string body;
  std::string rest;  // what is none of the response
  Error error{ErrorCode::kInternal, ""};
  bool ends_with_stream = false;
};

// Feeds `text` in pieces of `step` bytes, keeping what was not consumed.
ParsedResponse FeedResponse(
    std::string_view text,
    std::size_t step = std::string::npos,
    ResponseParser::RequestMethod method = ResponseParser::RequestMethod::kOther) {
  ResponseParser parser(method);
  ParsedResponse parsed;
  std::string pending;
  for (;;) {
    ResponseParser::Step fed = parser.Feed(pending);
    parsed.body += fed.piece;
    pending.erase(0, fed.consumed);
    if (fed.state == ResponseParserState::kHead) parsed.status = parser.head().status;
    parsed.end = fed.state;
    parsed.ends_with_stream = parser.ends_with_stream();
    if (fed.state == ResponseParserState::kBroken) parsed.error = parser.error();
    if (fed.state == ResponseParserState::kBroken || fed.state == ResponseParserState::kDone) break;
    if (fed.state != ResponseParserState::kNeedsMore) continue;
    if (text.empty()) break;
    pending += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
  parsed.rest = pending + std::string(text);
  return parsed;
}

bool IsBrokenAnswer(std::string_view text) {
  return FeedResponse(text).end == ResponseParserState::kBroken;
}

TEST(ResponseParserTest, ReadsABodyByItsLengthWhateverItsPieces) {
  for (std::size_t step : {1, 2, 3, 7, 1000}) {
    ParsedResponse parsed =
        FeedResponse("HTTP/1.1 201 Made it\r\nContent-Length: 5\r\nX: y\r\n\r\nhelloREST", step);
    EXPECT_EQ(parsed.end, ResponseParserState::kDone) << step;
    EXPECT_EQ(parsed.status, 201);
    EXPECT_EQ(parsed.body, "hello");
    EXPECT_EQ(parsed.rest, "REST");
  }
}

TEST(ResponseParserTest, ReadsAChunkedBodyWhateverItsPieces) {
  for (std::size_t step : {1, 2, 5, 1000}) {
    ParsedResponse parsed = FeedResponse(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nREST",
        step);
    EXPECT_EQ(parsed.end, ResponseParserState::kDone) << step;
    EXPECT_EQ(parsed.body, "abc0123456789");
    EXPECT_EQ(parsed.rest, "REST");
  }
}

TEST(ResponseParserTest, ReportsInterimResponsesWhereWanted) {
  ResponseParser parser(ResponseParser::RequestMethod::kOther, ResponseParser::Interim::kReported);
  std::string_view text =
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\nContent-Length: 7\r\n\r\n"
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok";
  ResponseParser::Step step = parser.Feed(text);
  ASSERT_EQ(step.state, ResponseParserState::kInterim);
  EXPECT_EQ(parser.head().status, 103);
  EXPECT_EQ(parser.head().headers.Get("link"), "a");
  text.remove_prefix(step.consumed);
  step = parser.Feed(text);
  ASSERT_EQ(step.state, ResponseParserState::kHead);
  EXPECT_EQ(parser.head().status, 200);
  EXPECT_FALSE(parser.head().headers.Has("link"));
  EXPECT_EQ(parser.body_bytes(), 2u);
  EXPECT_FALSE(parser.is_http_1_1());
}

TEST(ResponseParserTest, EndsInterimResponsesThatDoNotEnd) {
  ResponseParser parser(ResponseParser::RequestMethod::kOther, ResponseParser::Interim::kReported);
  int told = 0;
  while (parser.Feed("HTTP/1.1 100 Continue\r\n\r\n").state == ResponseParserState::kInterim)
    ++told;
  EXPECT_EQ(told, 16);
}

TEST(ResponseParserTest, KeepsTrailersThatAreWellFormed) {
  ResponseParser parser(ResponseParser::RequestMethod::kOther);
  std::string_view text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\ngrpc-status: 0\r\nbroken\r\n"
      "also broken: 1\r\n\r\n";
  ResponseParser::Step step = parser.Feed(text);
  text.remove_prefix(step.consumed);
  ASSERT_EQ(parser.Feed(text).state, ResponseParserState::kDone);
  EXPECT_EQ(parser.trailers().size(), 1u);
  EXPECT_EQ(parser.trailers().Get("grpc-status"), "0");
}

TEST(ResponseParserTest, ReadsABodyUntilTheEndOfTheStream) {
  ParsedResponse parsed = FeedResponse("HTTP/1.0 200\r\n\r\nhello", 3);
  EXPECT_EQ(parsed.end, ResponseParserState::kNeedsMore);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_TRUE(parsed.ends_with_stream);
}

TEST(ResponseParserTest, DoesNotTakeTheEndOfTheStreamForTheEndOfALongerBody) {
  EXPECT_FALSE(FeedResponse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel").ends_with_stream);
  EXPECT_FALSE(FeedResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
                   .ends_with_stream);
  EXPECT_FALSE(FeedResponse("HTTP/1.1 200 OK\r\nContent-Len").ends_with_stream);
}

TEST(ResponseParserTest, KnowsResponsesWithoutABody) {
  for (std::string head : {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
                           "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
                           "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    ParsedResponse parsed = FeedResponse(head + "REST");
    EXPECT_EQ(parsed.end, ResponseParserState::kDone) << head;
    EXPECT_EQ(parsed.rest, "REST");
  }
  ParsedResponse parsed = FeedResponse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
                                       std::string::npos, ResponseParser::RequestMethod::kHead);
  EXPECT_EQ(parsed.end, ResponseParserState::kDone);
}

TEST(ResponseParserTest, SkipsInterimResponses) {
  for (std::size_t step : {1, 1000}) {
    ParsedResponse parsed = FeedResponse(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\nContent-Length: 7\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        step);
    EXPECT_EQ(parsed.end, ResponseParserState::kDone);
    EXPECT_EQ(parsed.status, 200);
    EXPECT_EQ(parsed.body, "ok");
  }
}

TEST(ResponseParserTest, LimitsInterimResponses) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_TRUE(IsBrokenAnswer(text));
}

TEST(ResponseParserTest, TakesLinesWithoutCarriageReturns) {
  EXPECT_EQ(FeedResponse("HTTP/1.1 200 OK\nContent-Length: 2\n\nok").body, "ok");
}

TEST(ResponseParserTest, RefusesGarbage) {
  for (std::string_view text :
       {"\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 020 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\nA B: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : x\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n"}) {
    EXPECT_TRUE(IsBrokenAnswer(text)) << text;
  }
  std::string nul(1, '\0');
  EXPECT_TRUE(IsBrokenAnswer("HTTP/1.1 200 OK\r\nA: b" + nul + "c\r\n\r\n"));
}

TEST(ResponseParserTest, RefusesWhatTwoParsersCouldReadDifferently) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_TRUE(IsBrokenAnswer(head + "Transfer-Encoding: gzip, chunked\r\n\r\n"));
  for (std::string_view bad : {"-1", "+1", "0x1", "1,1", "1 1", "", "99999999999999999999"}) {
    EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: " + std::string(bad) + "\r\n\r\n")) << bad;
  }
}

TEST(ResponseParserTest, RefusesABrokenChunk) {
  std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::string_view bad : {"zz\r\n", "\r\n", "-1\r\n", "0x1\r\n", "3\r\nabcd\r\n",
                               "fffffffffffffffff\r\n", ";x\r\n"}) {
    EXPECT_TRUE(IsBrokenAnswer(head + std::string(bad))) << bad;
  }
}

TEST(ResponseParserTest, LimitsHeadsChunkLinesAndTrailers) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  std::string many = head;
  for (int i = 0; i < 300; ++i) many += "a: b\r\n";
  std::string long_trailers = chunked + "0\r\n";
  for (int i = 0; i < 100'000; ++i) long_trailers += "a: b\r\n";
  for (const std::string& text :
       {std::string(100'000, 'x'), head + "X: " + std::string(100'000, 'x'), many,
        chunked + "1;" + std::string(10'000, 'x'), chunked + "0\r\n" + std::string(100'000, 'x'),
        long_trailers}) {
    ParsedResponse parsed = FeedResponse(text, 1000);
    EXPECT_EQ(parsed.end, ResponseParserState::kBroken) << text.substr(0, 80);
    EXPECT_EQ(parsed.error.code, ErrorCode::kLimitExceeded);
  }
}

}  // namespace
}  // namespace viv::http
