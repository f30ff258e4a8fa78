#include "network/egress.h"

#include "network/egress_test_support.h"

namespace viv::network {
namespace {

const Policy kOpen{};
const Policy kDenyAll{{}, {"0.0.0.0/0"}, true};

using TcpListenerTest = EgressTest;

// A connection from a guest to a server in the test internet, with both of its ends.
struct Ends {
  UniqueFd guest, server;
};

Ends ConnectThrough(int netns, const Listener& listener, std::string_view address) {
  Ends ends;
  AsGuest(netns, [&] {
    Dialled dialled = DialTcp(EndpointOf(address, listener.port));
    EXPECT_EQ(dialled.error, 0) << strerror(dialled.error);
    ends.guest = std::move(dialled.fd);
  });
  ends.server = AcceptOn(listener);
  return ends;
}

TEST_F(TcpListenerTest, PipesBytesBothWaysAndCountsThem) {
  StartEgress(kOpen);
  for (std::string_view address : {kPublic, kPublic6}) {
    Listener listener = ListenOn(address);
    Ends ends = ConnectThrough(netns(), listener, address);
    WriteAll(ends.guest.get(), "question");
    char buffer[8];
    ASSERT_EQ(recv(ends.server.get(), buffer, 8, MSG_WAITALL), 8);
    WriteAll(ends.server.get(), "the answer");
    ends.server = UniqueFd();
    EXPECT_EQ(ReadToEnd(ends.guest.get()), "the answer");
  }
  Egress::Traffic traffic = egress_->Read("box");
  EXPECT_EQ(traffic.connections, 2U);
  EXPECT_EQ(traffic.bytes_out, 16U);
  EXPECT_EQ(traffic.bytes_in, 20U);
  EXPECT_EQ(traffic.refused, 0U);
}

TEST_F(TcpListenerTest, AnEndOfSendingIsPassedOnAlone) {
  StartEgress(kOpen);
  Listener listener = ListenOn(kPublic);
  Ends ends = ConnectThrough(netns(), listener, kPublic);
  WriteAll(ends.guest.get(), "all of it");
  shutdown(ends.guest.get(), SHUT_WR);
  EXPECT_EQ(ReadToEnd(ends.server.get()), "all of it");
  WriteAll(ends.server.get(), "late answer");
  shutdown(ends.server.get(), SHUT_WR);
  EXPECT_EQ(ReadToEnd(ends.guest.get()), "late answer");
}

TEST_F(TcpListenerTest, ASlowReaderGetsEveryByte) {
  StartEgress(kOpen);
  Listener listener = ListenOn(kPublic);
  Ends ends = ConnectThrough(netns(), listener, kPublic);
  std::string sent;
  for (int i = 0; sent.size() < 16'000'000; ++i) sent += std::to_string(i) + ",";
  std::thread upward([&] {
    WriteAll(ends.guest.get(), sent);
    shutdown(ends.guest.get(), SHUT_WR);
  });
  std::thread downward([&] {
    WriteAll(ends.server.get(), sent);
    shutdown(ends.server.get(), SHUT_WR);
  });
  // Nobody reads until both directions are blocked, as the byte counters show.
  std::uint64_t before = 1;
  for (Egress::Traffic now = egress_->Read("box"); before != now.bytes_in + now.bytes_out;
       now = egress_->Read("box")) {
    before = now.bytes_in + now.bytes_out;
    for (int i = 0; i < 1000; ++i) sched_yield();
  }
  EXPECT_LT(before, 2 * sent.size());
  std::string up, down;
  std::thread reader([&] { up = ReadToEnd(ends.server.get()); });
  down = ReadToEnd(ends.guest.get());
  reader.join();
  upward.join();
  downward.join();
  EXPECT_TRUE(up == sent);
  EXPECT_TRUE(down == sent);
}

TEST_F(TcpListenerTest, AResetOfTheOtherSideReachesTheGuest) {
  StartEgress(kOpen);
  Listener listener = ListenOn(kPublic);
  Ends ends = ConnectThrough(netns(), listener, kPublic);
  linger now{1, 0};
  setsockopt(ends.server.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ends.server = UniqueFd();
  EXPECT_EQ(ReadToEnd(ends.guest.get()), "reset");
}

TEST_F(TcpListenerTest, NobodyThereIsAReset) {
  StartEgress(kOpen);
  EXPECT_EQ(GuestReads(kPublic, 9), "reset");
}

TEST_F(TcpListenerTest, PrivateAddressesNeedTheOperator) {
  GreetingServer metadata("169.254.169.254"), intranet("10.1.2.3"), local6("fd12::1");
  EgressOptions options;
  options.open_private = {"10.1.0.0/16"};
  // The box allows everything, which must not help.
  StartEgress({{"0.0.0.0/0", "169.254.169.254", "10.0.0.0/8"}, {}, true}, options);
  EXPECT_EQ(GuestReads("169.254.169.254", metadata.port()), "reset");
  EXPECT_EQ(GuestReads("fd12::1", local6.port()), "reset");
  EXPECT_EQ(GuestReads("10.1.2.3", intranet.port()), "hello");
  Egress::Traffic traffic = egress_->Read("box");
  EXPECT_EQ(traffic.connections, 1U);
  EXPECT_EQ(traffic.refused, 2U);
}

TEST_F(TcpListenerTest, MetadataServicesAreClosedWhereTheOperatorOpenedEverything) {
  GreetingServer link_local("169.254.169.254"), azure("168.63.129.16"), oracle("192.0.0.192");
  GreetingServer intranet("192.0.0.8");
  EgressOptions options;
  options.open_private = {"0.0.0.0/0", "168.63.129.16"};
  StartEgress(kOpen, options);
  EXPECT_EQ(GuestReads("192.0.0.8", intranet.port()), "hello");
  EXPECT_EQ(GuestReads("169.254.169.254", link_local.port()), "reset");
  EXPECT_EQ(GuestReads("168.63.129.16", azure.port()), "reset");
  EXPECT_EQ(GuestReads("192.0.0.192", oracle.port()), "reset");
}

TEST_F(TcpListenerTest, ThisMachineIsNotReachedByItsPublicAddress) {
  GreetingServer own(kHostPublic), other(kPublic);
  StartEgress({{kHostPublic.data()}, {}, true});
  EXPECT_EQ(GuestReads(kHostPublic, own.port()), "reset");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "hello");
}

TEST_F(TcpListenerTest, TheHostsLoopbackIsOutOfReach) {
  GreetingServer host("127.0.0.1");
  EgressOptions options;
  options.open_private = {"0.0.0.0/0"};  // even if the operator opens everything
  StartEgress(kOpen, options);
  for (std::string_view address : {"127.0.0.1", "0.0.0.0", "10.255.0.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_NE(GuestReads(address, host.port()), "hello") << address;
}

TEST_F(TcpListenerTest, ConnectingToTheListenerItselfIsReset) {
  GreetingServer server(kPublic);
  EgressOptions options;
  options.open_private = {"0.0.0.0/0"};
  StartEgress(kOpen, options);
  for (std::string_view address : {"127.0.0.1", "127.0.0.2", "10.255.0.1", "::1", "fd00::1"})
    EXPECT_EQ(GuestReads(address, kTcpListenerPort), "reset") << address;
  EXPECT_EQ(egress_->Read("box").connections, 0U);
  EXPECT_EQ(GuestReads(kPublic, server.port()), "hello");  // and the listener still works
}

TEST_F(TcpListenerTest, ListsDecide) {
  GreetingServer one(kPublic), other(kOtherPublic);
  StartEgress({{kPublic.data()}, {"0.0.0.0/0"}, true});
  EXPECT_EQ(GuestReads(kPublic, one.port()), "hello");
  EXPECT_EQ(GuestReads(kOtherPublic, other.port()), "reset");
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{kOtherPublic.data()}, {}, false})));
  EXPECT_EQ(GuestReads(kPublic, one.port()), "reset");
  EXPECT_EQ(GuestReads(kOtherPublic, other.port()), "hello");
}

TEST_F(TcpListenerTest, ListsDecideByPort) {
  GreetingServer one(kPublic), other(kPublic);
  std::string one_only = std::string(kPublic) + ":" + std::to_string(one.port());
  StartEgress({{one_only}, {}, false});
  EXPECT_EQ(GuestReads(kPublic, one.port()), "hello");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "reset");
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{}, {one_only}, true})));
  EXPECT_EQ(GuestReads(kPublic, one.port()), "reset");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "hello");
  ASSERT_TRUE(
      egress_->Set("box", EgressWithPolicy({{"*:" + std::to_string(other.port())}, {}, false})));
  EXPECT_EQ(GuestReads(kPublic, one.port()), "reset");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "hello");
}

TEST_F(TcpListenerTest, TheOperatorMayOpenOnePortOfAPrivateAddress) {
  GreetingServer open("10.1.2.3"), closed("10.1.2.3");
  EgressOptions options;
  options.open_private = {"10.1.2.3:" + std::to_string(open.port())};
  StartEgress(kOpen, options);
  EXPECT_EQ(GuestReads("10.1.2.3", open.port()), "hello");
  EXPECT_EQ(GuestReads("10.1.2.3", closed.port()), "reset");
}

TEST_F(TcpListenerTest, ANewPolicyAbortsWhatItForbidsAndNothingElse) {
  StartEgress(kOpen);
  Listener first = ListenOn(kPublic), second = ListenOn(kOtherPublic);
  Ends forbidden = ConnectThrough(netns(), first, kPublic);
  Ends allowed = ConnectThrough(netns(), second, kOtherPublic);
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{}, {kPublic.data()}, true})));
  EXPECT_EQ(ReadToEnd(forbidden.guest.get()), "reset");
  EXPECT_EQ(ReadToEnd(forbidden.server.get()), "reset");
  WriteAll(allowed.server.get(), "still here");
  shutdown(allowed.server.get(), SHUT_WR);
  EXPECT_EQ(ReadToEnd(allowed.guest.get()), "still here");
}

TEST_F(TcpListenerTest, ABadPolicyChangesNothing) {
  GreetingServer greeter(kPublic);
  StartEgress(kOpen);
  EXPECT_EQ(egress_->Set("box", EgressWithPolicy({{}, {"exam ple.com"}, true})).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(egress_->Set("nobody", EgressWithPolicy(kDenyAll)).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

TEST_F(TcpListenerTest, CloseAbortsEverythingAndLeavesACleanNamespace) {
  StartEgress(kOpen);
  Listener listener = ListenOn(kPublic);
  Ends ends = ConnectThrough(netns(), listener, kPublic);
  egress_->Close("box");
  EXPECT_EQ(ReadToEnd(ends.guest.get()), "reset");
  EXPECT_EQ(ReadToEnd(ends.server.get()), "reset");
  EXPECT_EQ(GuestReads(kPublic, listener.port), strerror(ECONNREFUSED));
  EXPECT_EQ(egress_->Read("box").connections, 0U);
  egress_->Close("box");  // a second call does nothing
  ends.guest = UniqueFd();
  namespaces_->Release(namespace_.name);
  namespaces_->WaitUntilIdle();
  EXPECT_EQ(namespaces_->Acquire()->name, namespace_.name);
}

TEST_F(TcpListenerTest, ABoxIsOpenOnceAndAgainAfterARestart) {
  GreetingServer greeter(kPublic);
  StartEgress(kOpen);
  EXPECT_EQ(egress_->Open("box", netns(), {}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(egress_->Open("other", netns(), {}).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(egress_->Open("third", -1, {}));
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
  egress_.reset();
  StartEgress(kOpen);  // as the next server does with a box that is still running
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

TEST_F(TcpListenerTest, ConnectionsBeyondTheLimitAreReset) {
  EgressOptions options;
  options.connections_per_box_max = 4;
  StartEgress(kOpen, options);
  Listener listener = ListenOn(kPublic);
  std::vector<Ends> open;
  for (int i = 0; i < 4; ++i) open.push_back(ConnectThrough(netns(), listener, kPublic));
  EXPECT_EQ(GuestReads(kPublic, listener.port), "reset");
  EXPECT_EQ(egress_->Read("box").refused, 1U);
  open.pop_back();  // both ends are closed, which the egress notices after a moment
  GreetingServer greeter(kOtherPublic);
  std::string got = "reset";
  for (int i = 0; i < 10'000 && got == "reset"; ++i) got = GuestReads(kOtherPublic, greeter.port());
  EXPECT_EQ(got, "hello");
}

TEST_F(TcpListenerTest, OneGreedyBoxLeavesRoomForOthers) {
  EgressOptions options;
  options.connections_max = 80;
  StartEgress(kOpen, options);
  auto other = namespaces_->Acquire();
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE(egress_->Open("other", other->fd.get(), {}));
  Listener listener = ListenOn(kPublic);
  std::vector<UniqueFd> guests;
  AsGuest(netns(), [&] {
    for (int i = 0; i < 100; ++i) guests.push_back(DialTcp(EndpointOf(kPublic, listener.port)).fd);
  });
  std::vector<UniqueFd> servers;
  for (int i = 0; i < 40; ++i) servers.push_back(AcceptOn(listener));
  while (egress_->Read("box").refused < 60) sched_yield();
  EXPECT_EQ(egress_->Read("box").connections, 40U);
  Ends ends = ConnectThrough(other->fd.get(), listener, kPublic);
  EXPECT_TRUE(ends.server);
}

TEST_F(TcpListenerTest, AFloodOfConnectionsIsServedInTurns) {
  GreetingServer greeter(kPublic);
  StartEgress(kOpen);
  AsGuest(netns(), [&] {
    for (int i = 0; i < 500; ++i) (void)DialTcp(EndpointOf(kPublic, greeter.port()));
  });
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

}  // namespace
}  // namespace viv::network
