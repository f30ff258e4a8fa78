#include "http/response_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Head(const Response& response, HeadOptions head = {}) {
  std::string out;
  head.date = "D";
  AppendHead(out, response, head);
  return out;
}

TEST(ResponseWriterTest, IsWrittenInFull) {
  Response response = Json(200, "{}");
  EXPECT_EQ(Head(response, {.body_bytes = 2}),
            "HTTP/1.1 200 OK\r\nServer: vivarium\r\nDate: D\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n");
}

TEST(ResponseWriterTest, DropsAHeaderThatWouldSplitTheResponse) {
  Response response;
  response.headers.Add("X-A", "b\r\nSet-Cookie: evil");
  response.headers.Add("X B", "c");
  response.headers.Add("", "d");
  response.headers.Add("X-Good", "yes");
  std::string head = Head(response);
  EXPECT_THAT(head, Not(HasSubstr("evil")));
  EXPECT_THAT(head, Not(HasSubstr("X B")));
  EXPECT_THAT(head, HasSubstr("X-Good: yes\r\n"));
}

TEST(ResponseWriterTest, KeepsFramingToItself) {
  Response response;
  response.headers.Add("content-length", "999");
  response.headers.Add("Transfer-Encoding", "gzip");
  std::string head = Head(response, {.framing = Framing::kChunked});
  EXPECT_THAT(head, Not(HasSubstr("999")));
  EXPECT_THAT(head, Not(HasSubstr("gzip")));
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
}

TEST(ResponseWriterTest, GivesNoLengthWhereNoBodyIsAllowed) {
  EXPECT_THAT(Head(Empty(204), {.framing = Framing::kNoBody}), Not(HasSubstr("Content-Length")));
  EXPECT_FALSE(StatusHasBody(204));
  EXPECT_FALSE(StatusHasBody(304));
  EXPECT_FALSE(StatusHasBody(101));
  EXPECT_TRUE(StatusHasBody(200));
}

TEST(ResponseWriterTest, TellsHowTheConnectionGoesOn) {
  EXPECT_THAT(Head({}, {.keep_alive = false}), HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(Head({}, {.http_1_1 = false}), HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_THAT(Head({}), Not(HasSubstr("Connection")));
}

TEST(ResponseWriterTest, MakesAnImpossibleStatusA500) {
  EXPECT_THAT(Head(Empty(0)), HasSubstr("HTTP/1.1 500 "));
  EXPECT_THAT(Head(Empty(12345)), HasSubstr("HTTP/1.1 500 "));
  EXPECT_THAT(Head(Empty(299)), HasSubstr("HTTP/1.1 299 \r\n"));
}

TEST(ResponseWriterTest, WritesDatesAsTheRfcWants) {
  EXPECT_EQ(HttpDate(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(HttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace viv::http
