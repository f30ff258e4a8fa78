#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "http/relay_test_support.h"

namespace viv::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kSimpleGet[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(RelayFailureTest, AnUpstreamWithoutAResponseIsUnavailable) {
  for (std::string answer : {"", "HTTP/1.1 200 OK\r\n", "SSH-2.0-x\r\n\r\n"}) {
    RelayRig rig;
    rig.client->Send(kSimpleGet);
    rig.upstream->ReadThrough("\r\n\r\n");
    rig.upstream->Send(answer);
    rig.upstream.reset();
    EXPECT_THAT(rig.client->ReadResponse().head, StartsWith("HTTP/1.1 502 "));
    EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable) << answer;
  }
}

TEST(RelayFailureTest, AHeaderFloodFromUpstreamIsCutOff) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  std::thread flood([&rig] {
    rig.upstream->Send("HTTP/1.1 200 OK\r\n");
    std::string line = "X: " + std::string(1000, 'x') + "\r\n";
    for (int i = 0; i < 10'000; ++i) rig.upstream->Send(line);
  });
  EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable);
  EXPECT_THAT(rig.client->ReadResponse().head, StartsWith("HTTP/1.1 502 "));
  flood.join();
}

TEST(RelayFailureTest, AnUnaskedUpgradeIsRefused) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  rig.upstream->Send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable);
}

TEST(RelayFailureTest, ABodyThatBreaksOffResetsTheClient) {
  for (std::string answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"}) {
    RelayRig rig;
    rig.client->Send(kSimpleGet);
    rig.upstream->ReadThrough("\r\n\r\n");
    rig.upstream->Send(answer);
    rig.client->ReadThrough("\r\n\r\n");
    rig.upstream.reset();
    EXPECT_THAT(rig.client->ReadToEnd(), Not(HasSubstr("0\r\n\r\n")));
    EXPECT_EQ(rig.client->error(), ECONNRESET) << answer;
  }
}

TEST(RelayFailureTest, AResetIsNotTakenForTheEndOfABody) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 200 OK\r\n\r\nabc");
  rig.client->ReadThrough("abc");
  rig.upstream->ResetOnClose();
  rig.upstream.reset();
  rig.client->ReadToEnd();
  EXPECT_EQ(rig.client->error(), ECONNRESET);
}

TEST(RelayFailureTest, ABrokenRequestBodyEndsTheUpstreamsToo) {
  RelayRig rig;
  rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.client->Send("zz\r\n");
  EXPECT_EQ(rig.Failure().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
}

TEST(RelayFailureTest, ATruncatedRequestBodyEndsTheUpstreamsToo) {
  RelayRig rig;
  rig.client->Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nabc");
  rig.upstream->ReadThrough("abc");
  rig.client.reset();
  EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable);
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
}

TEST(RelayFailureTest, AClientThatLeavesBeforeTheResponseFreesTheUpstream) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.client.reset();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
  EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable);
}

TEST(RelayFailureTest, AClientThatLeavesASilentResponseFreesTheUpstream) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 200 OK\r\n\r\n");
  rig.client->ReadThrough("\r\n\r\n");
  rig.client.reset();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
}

TEST(RelayFailureTest, ADrainEndsWhatIsRelayed) {
  RelayRig rig;
  rig.client->Send(kSimpleGet);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 200 OK\r\n\r\nabc");
  rig.client->ReadThrough("abc");
  rig.server.StopAndJoin();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
}

TEST(RelayFailureTest, TlsNeedsItsLibrary) {
  RelayOptions options;
  options.transport = RelayOptions::Transport::kTls;
  RelayRig rig(ConnectTcpPair(), options);
  rig.client->Send(kSimpleGet);
  EXPECT_EQ(rig.Failure().code, ErrorCode::kInternal);
}

TEST(RelayFailureTest, RefusesWhatIsNoSocket) {
  ConnectedPair pair;
  RelayRig rig(std::move(pair));
  rig.client->Send(kSimpleGet);
  EXPECT_EQ(rig.Failure().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace viv::http
