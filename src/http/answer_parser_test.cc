#include "http/answer_parser.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

using AnswerState = AnswerParser::State;

struct ParsedAnswer {
  AnswerState end = AnswerState::kNeedsMore;
  int status = 0;
  std::string body;
  std::string rest;  // what is none of the answer
  Error error{ErrorCode::kInternal, ""};
  bool ends_with_stream = false;
};

// Feeds `text` in pieces of `step` bytes, keeping what was not consumed.
ParsedAnswer FeedAnswer(std::string_view text,
                        std::size_t step = std::string::npos,
                        AnswerParser::Asked asked = AnswerParser::Asked::kOther) {
  AnswerParser parser(asked);
  ParsedAnswer parsed;
  std::string pending;
  for (;;) {
    AnswerParser::Step fed = parser.Feed(pending);
    parsed.body += fed.piece;
    pending.erase(0, fed.consumed);
    if (fed.state == AnswerState::kHead) parsed.status = parser.head().status;
    parsed.end = fed.state;
    parsed.ends_with_stream = parser.ends_with_stream();
    if (fed.state == AnswerState::kBroken) parsed.error = parser.error();
    if (fed.state == AnswerState::kBroken || fed.state == AnswerState::kDone) break;
    if (fed.state != AnswerState::kNeedsMore) continue;
    if (text.empty()) break;
    pending += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
  parsed.rest = pending + std::string(text);
  return parsed;
}

bool IsBrokenAnswer(std::string_view text) {
  return FeedAnswer(text).end == AnswerState::kBroken;
}

TEST(AnswerParserTest, ReadsABodyByItsLengthWhateverItsPieces) {
  for (std::size_t step : {1, 2, 3, 7, 1000}) {
    ParsedAnswer parsed =
        FeedAnswer("HTTP/1.1 201 Made it\r\nContent-Length: 5\r\nX: y\r\n\r\nhelloREST", step);
    EXPECT_EQ(parsed.end, AnswerState::kDone) << step;
    EXPECT_EQ(parsed.status, 201);
    EXPECT_EQ(parsed.body, "hello");
    EXPECT_EQ(parsed.rest, "REST");
  }
}

TEST(AnswerParserTest, ReadsAChunkedBodyWhateverItsPieces) {
  for (std::size_t step : {1, 2, 5, 1000}) {
    ParsedAnswer parsed = FeedAnswer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nREST",
        step);
    EXPECT_EQ(parsed.end, AnswerState::kDone) << step;
    EXPECT_EQ(parsed.body, "abc0123456789");
    EXPECT_EQ(parsed.rest, "REST");
  }
}

TEST(AnswerParserTest, TellsInterimAnswersToWhoWantsThem) {
  AnswerParser parser(AnswerParser::Asked::kOther, AnswerParser::Interim::kTold);
  std::string_view text =
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\nContent-Length: 7\r\n\r\n"
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok";
  AnswerParser::Step step = parser.Feed(text);
  ASSERT_EQ(step.state, AnswerState::kInterim);
  EXPECT_EQ(parser.head().status, 103);
  EXPECT_EQ(parser.head().headers.Get("link"), "a");
  text.remove_prefix(step.consumed);
  step = parser.Feed(text);
  ASSERT_EQ(step.state, AnswerState::kHead);
  EXPECT_EQ(parser.head().status, 200);
  EXPECT_FALSE(parser.head().headers.Has("link"));
  EXPECT_EQ(parser.body_bytes(), 2u);
  EXPECT_FALSE(parser.is_http_1_1());
}

TEST(AnswerParserTest, EndsInterimAnswersThatDoNotEnd) {
  AnswerParser parser(AnswerParser::Asked::kOther, AnswerParser::Interim::kTold);
  int told = 0;
  while (parser.Feed("HTTP/1.1 100 Continue\r\n\r\n").state == AnswerState::kInterim) ++told;
  EXPECT_EQ(told, 16);
}

TEST(AnswerParserTest, KeepsTrailersThatAreWellFormed) {
  AnswerParser parser(AnswerParser::Asked::kOther);
  std::string_view text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\ngrpc-status: 0\r\nbroken\r\n"
      "also broken: 1\r\n\r\n";
  AnswerParser::Step step = parser.Feed(text);
  text.remove_prefix(step.consumed);
  ASSERT_EQ(parser.Feed(text).state, AnswerState::kDone);
  EXPECT_EQ(parser.trailers().size(), 1u);
  EXPECT_EQ(parser.trailers().Get("grpc-status"), "0");
}

TEST(AnswerParserTest, ReadsABodyUntilTheEndOfTheStream) {
  ParsedAnswer parsed = FeedAnswer("HTTP/1.0 200\r\n\r\nhello", 3);
  EXPECT_EQ(parsed.end, AnswerState::kNeedsMore);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_TRUE(parsed.ends_with_stream);
}

TEST(AnswerParserTest, DoesNotTakeTheEndOfTheStreamForTheEndOfALongerBody) {
  EXPECT_FALSE(FeedAnswer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel").ends_with_stream);
  EXPECT_FALSE(FeedAnswer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
                   .ends_with_stream);
  EXPECT_FALSE(FeedAnswer("HTTP/1.1 200 OK\r\nContent-Len").ends_with_stream);
}

TEST(AnswerParserTest, KnowsAnswersWithoutABody) {
  for (std::string head : {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
                           "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
                           "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    ParsedAnswer parsed = FeedAnswer(head + "REST");
    EXPECT_EQ(parsed.end, AnswerState::kDone) << head;
    EXPECT_EQ(parsed.rest, "REST");
  }
  ParsedAnswer parsed = FeedAnswer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
                                   std::string::npos, AnswerParser::Asked::kHead);
  EXPECT_EQ(parsed.end, AnswerState::kDone);
}

TEST(AnswerParserTest, SkipsInterimAnswers) {
  for (std::size_t step : {1, 1000}) {
    ParsedAnswer parsed = FeedAnswer(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\nContent-Length: 7\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        step);
    EXPECT_EQ(parsed.end, AnswerState::kDone);
    EXPECT_EQ(parsed.status, 200);
    EXPECT_EQ(parsed.body, "ok");
  }
}

TEST(AnswerParserTest, LimitsInterimAnswers) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_TRUE(IsBrokenAnswer(text));
}

TEST(AnswerParserTest, TakesLinesWithoutCarriageReturns) {
  EXPECT_EQ(FeedAnswer("HTTP/1.1 200 OK\nContent-Length: 2\n\nok").body, "ok");
}

TEST(AnswerParserTest, RefusesGarbage) {
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

TEST(AnswerParserTest, RefusesWhatTwoParsersCouldReadDifferently) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_TRUE(IsBrokenAnswer(head + "Transfer-Encoding: gzip, chunked\r\n\r\n"));
  for (std::string_view bad : {"-1", "+1", "0x1", "1,1", "1 1", "", "99999999999999999999"}) {
    EXPECT_TRUE(IsBrokenAnswer(head + "Content-Length: " + std::string(bad) + "\r\n\r\n")) << bad;
  }
}

TEST(AnswerParserTest, RefusesABrokenChunk) {
  std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::string_view bad : {"zz\r\n", "\r\n", "-1\r\n", "0x1\r\n", "3\r\nabcd\r\n",
                               "fffffffffffffffff\r\n", ";x\r\n"}) {
    EXPECT_TRUE(IsBrokenAnswer(head + std::string(bad))) << bad;
  }
}

TEST(AnswerParserTest, LimitsHeadsChunkLinesAndTrailers) {
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
    ParsedAnswer parsed = FeedAnswer(text, 1000);
    EXPECT_EQ(parsed.end, AnswerState::kBroken) << text.substr(0, 80);
    EXPECT_EQ(parsed.error.code, ErrorCode::kLimitExceeded);
  }
}

}  // namespace
}  // namespace viv::http
