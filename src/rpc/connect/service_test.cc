#include "rpc/connect/service.h"

#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "rpc/connect/envelope.h"
#include "rpc/connect/test_schema.h"

namespace viv::connect {
namespace {

class CollectingBody : public http::BodyWriter {
 public:
  Task<Status> Write(std::string piece) override {
    if (writes_left == 0) co_return Fail(ErrorCode::kUnavailable, "gone");
    --writes_left;
    bytes += piece;
    co_return Status();
  }
  void Abort() override {}

  std::string bytes;
  int writes_left = 1000;
};

class PiecewiseBody : public http::BodyReader {
 public:
  explicit PiecewiseBody(std::deque<std::string> pieces) : pieces_(std::move(pieces)) {}
  Task<Result<std::string>> Read() override {
    if (pieces_.empty()) co_return std::string();
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    if (piece == "gone") co_return Fail(ErrorCode::kUnavailable, "the client went away");
    co_return piece;
  }

 private:
  std::deque<std::string> pieces_;
};

template <typename T>
T Await(Task<T> task) {
  asio::io_context io;
  std::optional<T> result;
  asio::co_spawn(io, std::move(task), [&](std::exception_ptr failure, T value) {
    if (failure) std::rethrow_exception(failure);
    result.emplace(std::move(value));
  });
  io.run();
  return *std::move(result);
}

Task<bool> RunStream(const http::Response& response, http::BodyWriter& body) {
  co_await response.stream(body);
  co_return true;
}

Task<RpcResult<json::object>> Echo(const Call& call, json::object request) {
  if (FindString(request, "text") == "fail") co_return FailRpc(Code::kNotFound, "no such text");
  if (FindString(request, "text") == "throw") throw std::runtime_error("secret");
  if (call.timeout) request["count"] = call.timeout->count();
  request["small"] = call.keepalive.count();
  co_return request;
}

// Tells 1 to `count`, then fails when there is a text.
Task<RpcResult<void>> CountUp(const Call&, json::object request, MessageWriter& writer) {
  std::int64_t count = request.if_contains("count") ? request.at("count").as_int64() : 0;
  for (std::int64_t i = 1; i <= count; ++i) {
    json::object message;
    message["count"] = i;
    bool told = co_await writer.Write(std::move(message));
    if (!told) co_return RpcResult<void>();
  }
  std::string text(FindString(request, "text"));
  if (text == "throw") throw std::runtime_error("secret");
  if (!text.empty()) co_return FailRpc(Code::kInternal, text);
  co_return RpcResult<void>();
}

Task<RpcResult<json::object>> Sum(const Call&, MessageReader& reader) {
  std::int64_t sum = 0;
  for (;;) {
    RpcResult<std::optional<json::object>> next = co_await reader.Read();
    if (!next) co_return tl::unexpected<RpcError>(next.error());
    if (!next->has_value()) break;
    sum += (*next)->at("count").as_int64();
  }
  json::object answer;
  answer["count"] = sum;
  co_return answer;
}

class ConnectServiceTest : public ::testing::Test {
 protected:
  ConnectServiceTest() {
    AddUnary(router_, testing::kSchema, "test.Things", "Echo", Echo);
    AddServerStream(router_, testing::kSchema, "test.Things", "Count", CountUp);
    AddClientStream(router_, testing::kSchema, "test.Things", "Sum", Sum);
  }

  http::Response Post(std::string method, std::string type, std::string body) {
    request_.method = "POST";
    request_.path = "/test.Things/" + method;
    request_.headers.Set("Content-Type", std::move(type));
    request_.body = std::move(body);
    auto match = router_.Find("POST", request_.path);
    return Await((*match.handler)(request_));
  }
  http::Response Unary(std::string body) { return Post("Echo", "application/json", body); }

  // The envelopes of a stream's answer as "flags:message".
  std::string Stream(std::string method, std::string body, std::string type = "json") {
    http::Response response = Post(std::move(method), "application/connect+" + type, body);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.Get("content-type"), "application/connect+" + type);
    std::string bytes = response.body;
    if (response.stream) {
      EXPECT_TRUE(Await(RunStream(response, body_)));
      bytes = body_.bytes;
    }
    EnvelopeSplitter splitter;
    splitter.Feed(bytes);
    std::string text;
    for (auto next = splitter.Next(); next && *next; next = splitter.Next()) {
      text += std::to_string((*next)->flags) + ":" + (*next)->message + " ";
    }
    return text;
  }

  http::Router router_;
  http::Request request_;
  CollectingBody body_;
};

TEST_F(ConnectServiceTest, AnswersJsonWithJson) {
  http::Response response = Unary(R"({"text":"hi","unknown":1})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  EXPECT_EQ(response.body, R"({"text":"hi","small":90})");
}

TEST_F(ConnectServiceTest, AnswersBinaryWithBinary) {
  http::Response response = Post("Echo", "application/proto", "\x32\x02hi");
  EXPECT_EQ(response.headers.Get("content-type"), "application/proto");
  EXPECT_EQ(response.body, "\x10\x5a\x32\x02hi");
}

TEST_F(ConnectServiceTest, TakesAnEmptyBodyAsAnEmptyMessage) {
  EXPECT_EQ(Unary("").body, R"({"small":90})");
}

TEST_F(ConnectServiceTest, ReadsTimeoutAndKeepalive) {
  request_.headers.Set("Connect-Timeout-Ms", "60000");
  request_.headers.Set("Keepalive-Ping-Interval", "50");
  EXPECT_EQ(Unary("{}").body, R"({"count":60000,"small":50})");
  request_.headers.Set("Connect-Timeout-Ms", "0");
  request_.headers.Set("Keepalive-Ping-Interval", "soon");
  EXPECT_EQ(Unary("{}").body, R"({"small":90})");
}

TEST_F(ConnectServiceTest, RefusesBadHeaders) {
  for (const char* timeout : {"soon", "-1", "12345678901", "1.5"}) {
    request_.headers.Set("Connect-Timeout-Ms", timeout);
    EXPECT_EQ(Unary("{}").status, 400) << timeout;
  }
  request_.headers.Clear();
  request_.headers.Set("Connect-Protocol-Version", "2");
  EXPECT_EQ(Unary("{}").status, 400);
  request_.headers.Clear();
  request_.headers.Set("Content-Encoding", "gzip");
  EXPECT_EQ(Unary("{}").status, 501);
}

TEST_F(ConnectServiceTest, FailsWithStatusCodeAndMessage) {
  http::Response response = Unary(R"({"text":"fail"})");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"code":"not_found","message":"no such text"})");
}

TEST_F(ConnectServiceTest, KeepsWhatAMethodThrowsToItself) {
  http::Response response = Unary(R"({"text":"throw"})");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, R"({"code":"internal","message":"internal error"})");
}

TEST_F(ConnectServiceTest, RefusesBrokenMessages) {
  for (const char* body : {"{", "[]", "1", R"({"text":1})", "\xff", "{}{}"}) {
    http::Response response = Unary(body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(FindString(*ParseJson(response.body), "code"), "invalid_argument") << body;
  }
  EXPECT_EQ(Post("Echo", "application/proto", "\x08").status, 400);
  EXPECT_EQ(Unary(std::string(kMessageBytesMax + 1, ' ')).status, 429);
}

TEST_F(ConnectServiceTest, RefusesOtherContentTypes) {
  for (const char* type : {"", "text/plain", "application/connect+json", "application/grpc"}) {
    EXPECT_EQ(Post("Echo", type, "{}").status, 415) << type;
  }
  EXPECT_EQ(Post("Echo", "Application/JSON; charset=utf-8", "{}").status, 200);
  EXPECT_EQ(Post("Count", "application/json", "{}").status, 415);
  EXPECT_EQ(Post("Sum", "application/json", "{}").status, 415);
}

TEST_F(ConnectServiceTest, SaysThatAMethodIsUnknown) {
  http::Response response = Post("Other", "application/json", "{}");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(FindString(*ParseJson(response.body), "code"), "unimplemented");
}

TEST_F(ConnectServiceTest, StreamsMessagesAndThenTheEnd) {
  EXPECT_EQ(Stream("Count", WrapEnvelope(0, R"({"count":2})")),
            R"(0:{"count":1} 0:{"count":2} 2:{} )");
}

TEST_F(ConnectServiceTest, StreamsBinaryWithItsEndInJson) {
  EXPECT_EQ(Stream("Count", WrapEnvelope(0, "\x20\x01"), "proto"), "0:\x20\x01 2:{} ");
}

TEST_F(ConnectServiceTest, PutsAFailureIntoTheEndOfTheStream) {
  EXPECT_EQ(Stream("Count", WrapEnvelope(0, R"({"count":1,"text":"oh"})")),
            R"(0:{"count":1} 2:{"error":{"code":"internal","message":"oh"}} )");
}

TEST_F(ConnectServiceTest, EndsAStreamThatThrewAsInternal) {
  EXPECT_EQ(Stream("Count", WrapEnvelope(0, R"({"text":"throw"})")),
            R"(2:{"error":{"code":"internal","message":"internal error"}} )");
}

TEST_F(ConnectServiceTest, WritesNothingMoreOnceTheClientIsGone) {
  body_.writes_left = 1;
  EXPECT_EQ(Stream("Count", WrapEnvelope(0, R"({"count":5})")), R"(0:{"count":1} )");
}

TEST_F(ConnectServiceTest, RefusesBrokenStreamRequestsWithinTheStream) {
  const std::string one = WrapEnvelope(0, "{}");
  const std::pair<std::string, std::string> cases[] = {
      {"", "invalid_argument"},
      {one + one, "invalid_argument"},
      {one.substr(0, 6), "invalid_argument"},
      {WrapEnvelope(0, "{"), "invalid_argument"},
      {WrapEnvelope(kFlagCompressed, "x"), "unimplemented"},
      {std::string("\0\x7f\xff\xff\xff", 5), "resource_exhausted"},
  };
  for (const auto& [body, code] : cases) {
    body_.bytes.clear();
    EXPECT_TRUE(Stream("Count", body).starts_with(R"(2:{"error":{"code":")" + code)) << code;
  }
}

TEST_F(ConnectServiceTest, ReadsAServerStreamsRequestWhileItArrives) {
  std::string body = WrapEnvelope(0, R"({"count":1})");
  PiecewiseBody pieces({body.substr(0, 3), body.substr(3, 4), body.substr(7)});
  request_.body_stream = &pieces;
  EXPECT_EQ(Stream("Count", ""), R"(0:{"count":1} 2:{} )");
}

TEST_F(ConnectServiceTest, AddsUpAClientStream) {
  std::string body = WrapEnvelope(0, R"({"count":1})") + WrapEnvelope(0, R"({"count":41})");
  EXPECT_EQ(Stream("Sum", body), R"(0:{"count":42} 2:{} )");
  PiecewiseBody pieces({body.substr(0, 20), body.substr(20)});
  request_.body_stream = &pieces;
  EXPECT_EQ(Stream("Sum", ""), R"(0:{"count":42} 2:{} )");
}

TEST_F(ConnectServiceTest, TellsAClientStreamWhatBrokeIt) {
  std::string message = WrapEnvelope(0, R"({"count":1})");
  EXPECT_TRUE(
      Stream("Sum", message + "\1").starts_with(R"(2:{"error":{"code":"invalid_argument")"));
  PiecewiseBody pieces({message, "gone"});
  request_.body_stream = &pieces;
  EXPECT_TRUE(Stream("Sum", "").starts_with(R"(2:{"error":{"code":"unavailable")"));
}

}  // namespace
}  // namespace viv::connect
