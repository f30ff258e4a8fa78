#include "network/socket_memory.h"

#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <vector>

#include "network/network_test_support.h"

namespace viv::network {
namespace {

using SocketMemoryTest = NetworkTest;

TEST(SocketMemoryTableTest, SumsAColumn) {
  constexpr char kTable[] =
      "sk               Eth Pid        Groups   Rmem     Wmem\n"
      "0000000000000000 0   0          00000000 512      0\n"
      "0000000000000000 0   12         00000000 1024     7\n";
  EXPECT_EQ(SumColumn(kTable, "Rmem"), 1536);
  EXPECT_EQ(SumColumn(kTable, "Wmem"), 7);
  EXPECT_EQ(SumColumn(kTable, "Nothing"), 0);
  EXPECT_EQ(SumColumn("", "Rmem"), 0);
}

TEST_F(SocketMemoryTest, CountsAnswersThatNobodyReads) {
  UniqueFd socket;
  AsGuest(netns(), [&] {
    socket = UniqueFd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
    struct {
      nlmsghdr head{sizeof(nlmsghdr) + sizeof(ifinfomsg), RTM_GETLINK, NLM_F_REQUEST, 1, 0};
      ifinfomsg link{};
    } question;
    question.link.ifi_index = 1;
    for (int i = 0; i < 50; ++i)
      ASSERT_EQ(::send(socket.get(), &question, sizeof question, 0), ssize_t{sizeof question});
  });
  auto memory = ReadUnchargedMemory(netns());
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_GT(memory->netlink_bytes, 50 * 256);
}

TEST_F(SocketMemoryTest, EndsConnectionsThatNobodyAcceptedAndNoOthers) {
  constexpr std::int64_t kSent = 1000;
  std::string text(kSent, 'x');
  Listener listener;
  UniqueFd accepted;
  std::vector<Dialled> clients;
  AsGuest(netns(), [&] {
    listener = ListenOn("127.0.0.1");
    for (int i = 0; i < 3; ++i) {
      clients.push_back(DialTcp(EndpointOf("127.0.0.1", listener.port)));
      ASSERT_EQ(clients.back().error, 0);
      WriteAll(clients.back().fd.get(), text);
    }
    accepted = AcceptOn(listener);
  });
  auto memory = ReadUnchargedMemory(netns());
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory->unaccepted_bytes, 2 * kSent);
  Status dropped = DropUnaccepted(netns());
  ASSERT_TRUE(dropped) << dropped.error().message;
  EXPECT_EQ(ReadUnchargedMemory(netns())->unaccepted_bytes, 0);
  char byte = 0;
  EXPECT_EQ(::recv(accepted.get(), &byte, 1, 0), 1) << "what was accepted goes on";
  EXPECT_EQ(::recv(clients[1].fd.get(), &byte, 1, 0), -1) << "the others are reset";
}

}  // namespace
}  // namespace viv::network
