#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/deferred_body.h"
#include "http/middleware/auth.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string PendingHead(std::size_t length, std::string_view more = "") {
  return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         std::string(more) + "\r\n";
}

constexpr std::string_view kWithKey = "X-API-Key: key\r\n";

ServerOptions WaitingOptions() {
  ServerOptions options;
  options.body_bytes_max = 1 << 20;
  options.body_defer_above_bytes = 100;
  return options;
}

std::optional<Identity> OneKey(std::string_view key) {
  if (key.starts_with("key")) return Identity{std::string(key), "id"};
  return std::nullopt;
}

// Answers how long the body is and how it ends, to those with a key.
Handler SizeForKeys(BodyLimits limits = {}) {
  AuthRenderer refuse = [](AuthFailure) { return Text(401, "no key"); };
  return Auth(OneKey, std::move(refuse), std::move(limits))([](Request& request) -> Task<Response> {
    std::string end =
        request.body.substr(request.body.size() - std::min<std::size_t>(3, request.body.size()));
    co_return Text(200, std::to_string(request.body.size()) + " " + end);
  });
}

TEST(DeferredBodyTest, IsReadForACallerWithAKey) {
  RunningServer server(SizeForKeys(), WaitingOptions());
  RawClient client(server->port());
  client.Send(PendingHead(300'000, kWithKey) + std::string(299'997, 'a') + "end");
  EXPECT_EQ(client.ReadResponse().body, "300000 end");
  client.Send(PendingHead(3, kWithKey) + "abc");
  EXPECT_EQ(client.ReadResponse().body, "3 abc") << "the connection goes on";
}

TEST(DeferredBodyTest, IsNotReadForACallerWithout) {
  RunningServer server(SizeForKeys(), WaitingOptions());
  RawClient client(server->port());
  client.Send(PendingHead(1 << 20));  // and nothing of it
  RawClient::RawResponse answer = client.ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(answer.head, HasSubstr("Connection: close"));
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(DeferredBodyTest, ACallerWhoAsksFirstIsRefusedBeforeSending) {
  RunningServer server(SizeForKeys(), WaitingOptions());
  RawClient client(server->port());
  client.Send(PendingHead(500'000, "Expect: 100-continue\r\n"));
  EXPECT_THAT(client.ReadResponse().head, StartsWith("HTTP/1.1 401"));
  RawClient known(server->port());
  known.Send(PendingHead(500, "Expect: 100-continue\r\nX-API-Key: key\r\n"));
  EXPECT_THAT(known.ReadThrough("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  known.Send(std::string(500, 'x'));
  EXPECT_EQ(known.ReadResponse().body, "500 xxx");
}

TEST(DeferredBodyTest, AChunkedOneWaitsToo) {
  RunningServer server(SizeForKeys(), WaitingOptions());
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n";
  RawClient client(server->port());
  client.Send(chunked + std::string(kWithKey) + "\r\n5\r\nabcde\r\n4\r\nfghi\r\n0\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "9 ghi");
  client.Send(chunked + std::string(kWithKey) + "\r\n5\r\nab");
  client.Send("cde\r\n0\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "5 cde");
  RawClient stranger(server->port());
  stranger.Send(chunked + "\r\n5\r\nabcde\r\n");
  EXPECT_THAT(stranger.ReadResponse().head, StartsWith("HTTP/1.1 401"));
  RawClient endless(server->port());
  endless.Send(chunked + std::string(kWithKey) + "\r\n");
  for (int i = 0; i < 40; ++i) endless.Send("8000\r\n" + std::string(0x8000, 'x') + "\r\n");
  EXPECT_THAT(endless.ReadResponse().head, StartsWith("HTTP/1.1 413"));
}

TEST(DeferredBodyTest, HasTheLimitOfItsHandler) {
  BodyLimits limits;
  limits.bytes_max = 1000;
  limits.values_max = 50;
  RunningServer server(SizeForKeys(limits), WaitingOptions());
  RawClient client(server->port());
  client.Send(PendingHead(1001, kWithKey));
  RawClient::RawResponse answer = client.ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 413"));
  RawClient values(server->port());
  std::string many = "[";
  while (many.size() < 297) many += "[],";
  many += "[]]";
  values.Send(PendingHead(many.size(), kWithKey) + many);
  answer = values.ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(answer.body, HasSubstr("too many values"));
}

TEST(DeferredBodyTest, ABrokenOneIsAnswered) {
  RunningServer server(SizeForKeys(), WaitingOptions());
  RawClient client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-API-Key: key\r\n\r\nxyz\r\n");
  EXPECT_THAT(client.ReadResponse().head, StartsWith("HTTP/1.1 400"));
  ServerOptions options = WaitingOptions();
  options.body_timeout = std::chrono::milliseconds(50);
  RunningServer impatient(SizeForKeys(), std::move(options));
  RawClient silent(impatient->port());
  silent.Send(PendingHead(1000, kWithKey) + "abc");
  EXPECT_THAT(silent.ReadResponse().head, StartsWith("HTTP/1.1 408"));
}

TEST(DeferredBodyTest, OneAccountLeavesRoomForOthers) {
  ServerOptions options = WaitingOptions();
  options.body_budget_bytes = 2 << 20;
  options.body_budget_timeout = std::chrono::milliseconds(100);
  RunningServer server(SizeForKeys(), std::move(options));
  RawClient first(server->port());
  first.Send(PendingHead(900'000, "X-API-Key: key-a\r\n") + "begun");
  // Once the first has its share, the same account gets no second one.
  std::string head;
  while (!head.starts_with("HTTP/1.1 503")) {
    RawClient second(server->port());
    second.Send(PendingHead(900'000, "X-API-Key: key-a\r\n") + std::string(900'000, 'x'));
    head = second.ReadResponse().head;
  }
  EXPECT_THAT(head, HasSubstr("Retry-After: 1"));
  RawClient other(server->port());
  other.Send(PendingHead(900'000, "X-API-Key: key-b\r\n") + std::string(900'000, 'x'));
  EXPECT_EQ(other.ReadResponse().body, "900000 xxx");
  first.Send(std::string(900'000 - 5, 'y'));
  EXPECT_EQ(first.ReadResponse().body, "900000 yyy");
  RawClient third(server->port());
  third.Send(PendingHead(900'000, "X-API-Key: key-a\r\n") + std::string(900'000, 'z'));
  EXPECT_EQ(third.ReadResponse().body, "900000 zzz") << "what was answered is given back";
}

TEST(DeferredBodyTest, OneThatWaitsIsServedWhenAnotherEnds) {
  ServerOptions options = WaitingOptions();
  options.body_budget_bytes = 2 << 20;
  RunningServer server(SizeForKeys(), std::move(options));
  RawClient first(server->port()), second(server->port());
  first.Send(PendingHead(900'000, kWithKey));
  second.Send(PendingHead(900'000, kWithKey) + std::string(900'000, 'x'));
  first.Send(std::string(900'000, 'y'));
  EXPECT_EQ(first.ReadResponse().body, "900000 yyy");
  EXPECT_EQ(second.ReadResponse().body, "900000 xxx");
}

TEST(LargeHeadTest, HeadsThatAreNotCompleteHaveABudget) {
  ServerOptions options = WaitingOptions();
  options.head_budget_bytes = 100 * 1024;
  RunningServer server(SizeForKeys(), std::move(options));
  const std::string most = "GET / HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(40'000, 'x');
  RawClient first(server->port());
  first.Send(most);
  // The server has one thread: between these it reads on from the first.
  RawClient small(server->port());
  for (int i = 0; i < 50; ++i) {
    small.Send("GET / HTTP/1.1\r\nHost: h\r\nX-API-Key: key\r\n\r\n");
    EXPECT_THAT(small.ReadResponse().head, StartsWith("HTTP/1.1 200"));
  }
  RawClient second(server->port());
  second.Send(most);
  EXPECT_THAT(second.ReadResponse().head, StartsWith("HTTP/1.1 503"));
  first.Send("\r\nX-API-Key: key\r\n\r\n");
  EXPECT_THAT(first.ReadResponse().head, StartsWith("HTTP/1.1 200"));
  RawClient third(server->port());
  third.Send(most + "\r\n\r\n");
  EXPECT_THAT(third.ReadResponse().head, StartsWith("HTTP/1.1 401"));
}

}  // namespace
}  // namespace viv::http
