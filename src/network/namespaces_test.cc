#include "network/namespaces.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "network/named_namespace.h"
#include "network/namespace_setup.h"
#include "network/network_test_support.h"

namespace viv::network {
namespace {

using NamespacesTest = NetworkTest;

std::string ThisNamespace() {
  return std::filesystem::read_symlink("/proc/thread-self/ns/net").string();
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(NamespacesTest, OwnServicesAreReachedByEveryOwnAddress) {
  AsGuest(netns(), [] {
    for (std::string_view address : {"127.0.0.1", "127.9.9.9", "10.255.0.1", "::1", "fd00::1"}) {
      Listener listener = ListenOn(address);
      Dialled client = DialTcp(EndpointOf(address, listener.port));
      ASSERT_EQ(client.error, 0) << address;
      UniqueFd server = AcceptOn(listener);
      WriteAll(client.fd.get(), "hello");
      client.fd = UniqueFd();
      EXPECT_EQ(ReadToEnd(server.get()), "hello") << address;
    }
  });
}

// The kernel adds the local route of an IPv6 address later, in a work queue.
TEST_F(NamespacesTest, OwnAddressesAreReachedFromTheFirstMoment) {
  for (int i = 0; i < 64; ++i) {
    auto fresh = namespaces_->Acquire();
    ASSERT_TRUE(fresh.has_value()) << fresh.error().message;
    AsGuest(fresh->fd.get(), [] {
      Listener listener = ListenOn("fd00::1");
      ASSERT_EQ(DialTcp(EndpointOf("fd00::1", listener.port)).error, 0);
    });
  }
}

TEST_F(NamespacesTest, WithoutListenersNothingIsReached) {
  AsGuest(netns(), [] {
    EXPECT_EQ(DialTcp(EndpointOf("93.184.216.34", 80)).error, ECONNREFUSED);
    EXPECT_EQ(DialTcp(EndpointOf("2606:4700::1111", 80)).error, ECONNREFUSED);
    EXPECT_EQ(DialTcp(EndpointOf("169.254.169.254", 80)).error, ECONNREFUSED);
  });
}

TEST_F(NamespacesTest, UdpBesidesDnsIsRefusedAtOnce) {
  AsGuest(netns(), [] {
    for (std::string_view address : {"8.8.8.8", "2606:4700::1111"}) {
      // A socket of the box on that port must not receive packets to the outside.
      Listener own =
          ListenOn(address.find(':') == std::string_view::npos ? "0.0.0.0" : "::", SOCK_DGRAM);
      Dialled socket = DialAs(EndpointOf(address, own.port), SOCK_DGRAM);
      EXPECT_EQ(send(socket.fd.get(), "x", 1, 0), -1);
      EXPECT_EQ(errno, EPERM);
      char byte = 0;
      EXPECT_EQ(recv(own.fd.get(), &byte, 1, MSG_DONTWAIT), -1);
      EXPECT_EQ(errno, EAGAIN) << address;
    }
  });
}

TEST_F(NamespacesTest, AnyoneMayServeALowPort) {
  AsGuest(netns(), [] {
    EXPECT_EQ(FileText("/proc/sys/net/ipv4/ip_unprivileged_port_start"), "0\n");
    EXPECT_EQ(FileText("/proc/sys/net/ipv4/ping_group_range"), "1\t0\n");
  });
}

// Every address is local in a box, so a guest can bind a socket to it.
TEST_F(NamespacesTest, ConnectionsToTheOutsideReachTheListenerAlone) {
  for (bool with_listeners : {false, true}) {
    Result<EgressListeners> listeners = EgressListeners{};
    if (with_listeners) listeners = OpenEgressListeners(netns());
    ASSERT_TRUE(listeners.has_value()) << listeners.error().message;
    AsGuest(netns(), [&] {
      for (std::string_view address : {"93.184.216.34", "2606:4700::1111", "169.254.169.254"}) {
        for (std::string_view at : {"::", address.data()}) {
          Listener own = ListenOn(at);
          Dialled client = DialTcp(EndpointOf(address, own.port));
          EXPECT_EQ(client.error, with_listeners ? 0 : ECONNREFUSED) << address << " " << at;
          fcntl(own.fd.get(), F_SETFL, O_NONBLOCK);
          EXPECT_FALSE(AcceptOn(own)) << address << " " << at;
          if (!with_listeners) continue;
          UniqueFd accepted(accept4(listeners->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
          SocketAddress meant;
          ASSERT_EQ(getsockname(accepted.get(), meant.get(), &meant.size), 0) << address;
          EXPECT_EQ(FromSocketAddress(meant), EndpointOf(address, own.port)) << address;
        }
      }
    });
  }
}

TEST_F(NamespacesTest, ConnectionsAreNotTracked) {
  auto listeners = OpenEgressListeners(netns());
  ASSERT_TRUE(listeners.has_value()) << listeners.error().message;
  AsGuest(netns(), [&] {
    Dialled client = DialTcp(EndpointOf("93.184.216.34", 80));
    ASSERT_EQ(client.error, 0);
    EXPECT_EQ(FileText("/proc/thread-self/net/nf_conntrack"), "");
  });
}

TEST_F(NamespacesTest, ConnectionsBufferLittle) {
  AsGuest(netns(), [] {
    for (const char* name : {"rmem", "wmem"}) {
      std::istringstream sizes(FileText(std::string("/proc/sys/net/ipv4/tcp_") + name));
      long least = 0, first = 0, most = 0;
      sizes >> least >> first >> most;
      EXPECT_GT(most, 0) << name;
      EXPECT_LE(most, 1 << 20) << name;
    }
    EXPECT_EQ(FileText("/proc/sys/net/core/somaxconn"), "1024\n");
  });
}

TEST_F(NamespacesTest, ANamespaceSetUpByAnOlderServerIsNotReused) {
  ScratchDirectory other;
  std::string directory = other.path() + "/net";
  ASSERT_TRUE(OpenNamespaceFolder(directory));
  ASSERT_TRUE(MakeNamedNamespace(directory, "net-0123456789abcdef"));
  auto pool = Namespaces::Open(directory);
  ASSERT_TRUE(pool.has_value());
  (*pool)->Release("net-0123456789abcdef");
  (*pool)->WaitUntilIdle();
  EXPECT_FALSE((*pool)->Find("net-0123456789abcdef"));
}

TEST_F(NamespacesTest, OneSourcePortReachesTwoDestinations) {
  auto listeners = OpenEgressListeners(netns());
  ASSERT_TRUE(listeners.has_value()) << listeners.error().message;
  AsGuest(netns(), [] {
    std::vector<UniqueFd> sockets;
    for (std::string_view address : {"93.184.216.34", "93.184.216.35"}) {
      UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
      int on = 1;
      setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      SocketAddress from = ToSocketAddress(EndpointOf("10.255.0.1", 5555));
      ASSERT_EQ(bind(fd.get(), from.get(), from.size), 0);
      SocketAddress to = ToSocketAddress(EndpointOf(address, 80));
      EXPECT_EQ(connect(fd.get(), to.get(), to.size), 0) << address << " " << strerror(errno);
      sockets.push_back(std::move(fd));
    }
  });
}

TEST_F(NamespacesTest, TheCallerStaysWhereItWas) {
  std::string before = ThisNamespace();
  ASSERT_TRUE(OpenEgressListeners(netns()));
  EXPECT_FALSE(DialInNamespace(netns(), 9999));
  EXPECT_FALSE(OpenEgressListeners(-1));
  EXPECT_TRUE(ProbeNamespaces());
  ASSERT_TRUE(namespaces_->Acquire());
  EXPECT_EQ(ThisNamespace(), before);
}

TEST_F(NamespacesTest, DialsAServiceOnEveryLoopback) {
  for (std::string_view address : {"127.0.0.1", "::1", "0.0.0.0", "10.255.0.1", "fd00::1"}) {
    Listener listener;
    AsGuest(netns(), [&] { listener = ListenOn(address); });
    auto dialled = DialInNamespace(netns(), listener.port);
    EXPECT_EQ(dialled.has_value(), address != "fd00::1") << address;
  }
}

TEST_F(NamespacesTest, NobodyListeningIsNotFound) {
  for (std::uint16_t port : {1, 80, 40000, 65535}) {
    auto dialled = DialInNamespace(netns(), port);
    ASSERT_FALSE(dialled);
    EXPECT_EQ(dialled.error().code, ErrorCode::kNotFound) << dialled.error().message;
  }
}

TEST_F(NamespacesTest, AFullQueueDoesNotHoldTheCaller) {
  Listener full;
  AsGuest(netns(), [&] {
    full = ListenOn("127.0.0.1");
    listen(full.fd.get(), 0);
  });
  std::vector<UniqueFd> queued;
  Result<UniqueFd> dialled;
  for (int i = 0; i < 8; ++i) {
    dialled = DialInNamespace(netns(), full.port);
    if (!dialled) break;
    queued.push_back(*std::move(dialled));
  }
  ASSERT_FALSE(dialled);
  EXPECT_EQ(dialled.error().code, ErrorCode::kUnavailable) << dialled.error().message;
}

TEST_F(NamespacesTest, AListenersPortCannotBeBoundByAGuest) {
  auto listeners = OpenEgressListeners(netns());
  ASSERT_TRUE(listeners.has_value()) << listeners.error().message;
  AsGuest(netns(), [] {
    for (int type : {SOCK_STREAM, SOCK_DGRAM}) {
      for (std::string_view address : {"127.0.0.1", "0.0.0.0", "::1", "::", "10.255.0.1"}) {
        std::uint16_t port = type == SOCK_STREAM ? kTcpListenerPort : kDnsListenerPort;
        SocketAddress at = ToSocketAddress(EndpointOf(address, port));
        UniqueFd fd(socket(at.get()->sa_family, type, 0));
        int on = 1;
        setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
        EXPECT_NE(bind(fd.get(), at.get(), at.size), 0) << address;
      }
    }
  });
  EXPECT_EQ(OpenEgressListeners(netns()).error().code, ErrorCode::kConflict);
}

TEST_F(NamespacesTest, AStockIsReadyAndDistinct) {
  namespaces_->SetReadyCount(5);
  namespaces_->WaitUntilIdle();
  EXPECT_EQ(namespaces_->List(),
            std::vector<std::string>{namespace_.name});  // ready ones belong to nobody
  std::set<ino_t> inodes;
  for (int i = 0; i < 8; ++i) {
    auto acquired = namespaces_->Acquire();
    ASSERT_TRUE(acquired.has_value());
    struct stat found {};
    fstat(acquired->fd.get(), &found);
    inodes.insert(found.st_ino);
  }
  EXPECT_EQ(inodes.size(), 8U);
  EXPECT_EQ(namespaces_->List().size(), 9U);
}

TEST_F(NamespacesTest, ACleanOneIsUsedAgainWithoutItsOldConnections) {
  AsGuest(netns(), [] {
    Listener listener = ListenOn("10.255.0.1");
    Dialled client = DialTcp(EndpointOf("10.255.0.1", listener.port));
    UniqueFd server = AcceptOn(listener);
    client.fd = UniqueFd();  // the side that closes first stays in TIME_WAIT
  });
  namespaces_->Release(namespace_.name);
  namespaces_->WaitUntilIdle();
  auto again = namespaces_->Acquire();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->name, namespace_.name);
  AsGuest(again->fd.get(), [] {
    std::string tcp = FileText("/proc/thread-self/net/tcp");
    EXPECT_EQ(std::count(tcp.begin(), tcp.end(), '\n'), 1) << tcp;
    EXPECT_EQ(FileText("/proc/thread-self/net/nf_conntrack"), "");
  });
}

TEST_F(NamespacesTest, OneWithASocketInItIsNotUsedAgain) {
  auto leave = [&](int family, int type, const SocketAddress* at) {
    UniqueFd fd;
    AsGuest(netns(), [&] {
      fd = UniqueFd(socket(family, type | SOCK_CLOEXEC, 0));
      ASSERT_TRUE(fd) << strerror(errno);
      ASSERT_TRUE(at == nullptr || bind(fd.get(), at->get(), at->size) == 0);
    });
    namespaces_->Release(namespace_.name);
    namespaces_->WaitUntilIdle();
    EXPECT_FALSE(namespaces_->Find(namespace_.name));
    auto next = namespaces_->Acquire();
    ASSERT_TRUE(next.has_value());
    EXPECT_NE(next->name, namespace_.name);
    namespace_ = *std::move(next);
  };
  leave(AF_INET, SOCK_STREAM, nullptr);
  leave(AF_NETLINK, SOCK_RAW, nullptr);
  SocketAddress abstract;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  name.sun_path[1] = 'x';
  memcpy(&abstract.storage, &name, sizeof name.sun_family + 2);
  abstract.size = sizeof name.sun_family + 2;
  leave(AF_UNIX, SOCK_DGRAM, &abstract);
  EXPECT_EQ(namespaces_->List(), std::vector<std::string>{namespace_.name});
}

TEST_F(NamespacesTest, ReturnedTwiceItComesToOneBoxOnly) {
  std::string name = namespace_.name;
  namespaces_->Release(name);
  namespaces_->Release(name);
  namespaces_->WaitUntilIdle();
  namespaces_->Release(name);
  namespaces_->WaitUntilIdle();
  auto first = namespaces_->Acquire();
  auto second = namespaces_->Acquire();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->name, name);
  EXPECT_NE(second->name, name);
}

TEST_F(NamespacesTest, NamesThatLeaveTheFolderAreNotFound) {
  for (const char* name : {"", ".", "..", "../../../proc/1/ns/net", "/proc/1/ns/net", "a/b", "A"}) {
    EXPECT_EQ(namespaces_->Find(name).error().code, ErrorCode::kNotFound) << name;
    namespaces_->Release(name);
  }
  EXPECT_TRUE(namespaces_->Find(namespace_.name));
}

TEST_F(NamespacesTest, AKilledServersNamespacesAreFoundAndRemoved) {
  ScratchDirectory other;
  std::string directory = other.path() + "/net";
  pid_t child = fork();
  if (child == 0) {  // makes some namespaces and is killed
    if (!OpenNamespaceFolder(directory)) _exit(1);
    for (const char* name : {"net-1", "net-2", "net-3", "net-4"})
      if (!MakeNamedNamespace(directory, name)) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::ofstream(directory + "/net-lost") << "";  // as a reboot leaves it

  auto pool = Namespaces::Open(directory);
  ASSERT_TRUE(pool.has_value());
  auto names = (*pool)->List();
  EXPECT_EQ(names.size(), 4U);
  EXPECT_FALSE(std::filesystem::exists(directory + "/net-lost"));
  for (const std::string& name : names) {
    EXPECT_TRUE((*pool)->Find(name));
    (*pool)->Release(name);
  }
  (*pool)->WaitUntilIdle();
  EXPECT_TRUE((*pool)->List().empty());
  pool->reset();
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_EQ(FileText("/proc/self/mountinfo").find(directory), std::string::npos);
}

TEST_F(NamespacesTest, TakenOnesOutliveTheServer) {
  ScratchDirectory other;
  std::string directory = other.path() + "/net";
  std::string name;
  {
    auto pool = Namespaces::Open(directory);
    ASSERT_TRUE(pool.has_value());
    (*pool)->SetReadyCount(3);
    (*pool)->WaitUntilIdle();
    name = (*pool)->Acquire()->name;
  }
  auto pool = Namespaces::Open(directory);
  ASSERT_TRUE(pool.has_value());
  EXPECT_EQ((*pool)->List(), std::vector<std::string>{name});
  (*pool)->Release(name);
}

}  // namespace
}  // namespace viv::network
