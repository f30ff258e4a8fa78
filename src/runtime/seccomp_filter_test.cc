#include "runtime/seccomp_filter.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "runtime/trial.h"
#include "runtime/wire.h"

namespace viv::runtime {
namespace {

struct FilterTrial {
  sock_fprog program;
  const std::function<long()>* call;
};

int RunUnderFilter(const void* argument) {
  const auto* trial = static_cast<const FilterTrial*>(argument);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &trial->program) != 0)
    return 255;
  errno = 0;
  return (*trial->call)() < 0 ? errno : 0;
}

// The errno that a process under the boxes' filter gets from `call`, or 0; 255 without a filter.
int Under(const std::function<long()>& call) {
  auto filter = CompileBoxFilter();
  if (!filter) return 255;
  FilterTrial trial{{static_cast<unsigned short>(filter->size()), filter->data()}, &call};
  return TryInChild(0, RunUnderFilter, &trial);
}

int UnderCall(long number, long a = 0, long b = 0, long c = 0) {
  return Under([=] { return ::syscall(number, a, b, c, 0, 0, 0); });
}

TEST(SeccompFilterTest, FitsTheWire) {
  auto filter = CompileBoxFilter();
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_GT(filter->size(), 100U);
  EXPECT_LE(filter->size(), kFilterMax);
}

TEST(SeccompFilterTest, LeavesOrdinaryCallsAlone) {
  EXPECT_EQ(UnderCall(SYS_getpid), 0);
  EXPECT_EQ(Under([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(Under([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(Under([] { return ::socket(AF_NETLINK, SOCK_RAW, 0); }), 0);
  EXPECT_EQ(UnderCall(SYS_ptrace, 0), 0);  // PTRACE_TRACEME: debuggers work
}

TEST(SeccompFilterTest, RefusesNamespaces) {
  EXPECT_EQ(UnderCall(SYS_unshare, CLONE_NEWUSER), EPERM);
  EXPECT_EQ(UnderCall(SYS_setns, -1), EPERM);
  for (long flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                    CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_EQ(UnderCall(SYS_clone, flag), EPERM) << flag;
    EXPECT_EQ(UnderCall(SYS_clone, flag | (1L << 40)), EPERM) << "an upper half hides " << flag;
  }
  EXPECT_EQ(UnderCall(SYS_clone3), ENOSYS);
}

TEST(SeccompFilterTest, RefusesMounts) {
  for (long call : {SYS_mount, SYS_umount2, SYS_pivot_root, SYS_fsopen, SYS_fsmount, SYS_move_mount,
                    SYS_open_tree, SYS_mount_setattr, SYS_open_by_handle_at})
    EXPECT_EQ(UnderCall(call), EPERM) << call;
}

TEST(SeccompFilterTest, RefusesDeviceNodesButNotPipes) {
  auto make = [](mode_t kind) {
    return Under([kind] { return ::syscall(SYS_mknodat, -1, "", kind | 0600, 0); });
  };
  EXPECT_EQ(make(S_IFCHR), EPERM);
  EXPECT_EQ(make(S_IFBLK), EPERM);
  EXPECT_EQ(make(S_IFIFO), ENOENT);  // it came as far as the empty name
}

TEST(SeccompFilterTest, RefusesTheKernelsLargeBackRooms) {
  for (long call : {SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_kexec_load, SYS_init_module})
    EXPECT_EQ(UnderCall(call), EPERM) << call;
  for (long call : {SYS_io_uring_setup, SYS_keyctl, SYS_add_key, SYS_io_setup, SYS_io_submit})
    EXPECT_EQ(UnderCall(call), ENOSYS) << call;
}

TEST(SeccompFilterTest, RefusesOtherFamiliesOfSockets) {
  for (int family : {AF_AX25, AF_PACKET, AF_ALG, AF_VSOCK, AF_KEY, AF_BLUETOOTH, AF_CAN, AF_TIPC})
    EXPECT_EQ(Under([family] { return ::socket(family, SOCK_STREAM, 0); }), EAFNOSUPPORT) << family;
  EXPECT_EQ(UnderCall(SYS_socket, AF_PACKET | (1L << 32), SOCK_RAW), EAFNOSUPPORT);
  EXPECT_EQ(UnderCall(SYS_socket, 4 | (1L << 32), SOCK_RAW), EAFNOSUPPORT);
}

TEST(SeccompFilterTest, OfNetlinkAllowsRoutingOnly) {
  for (int protocol : {4, 9, 12, 15, 21})
    EXPECT_EQ(Under([protocol] { return ::socket(AF_NETLINK, SOCK_RAW, protocol); }),
              EPROTONOSUPPORT)
        << protocol;
}

TEST(SeccompFilterTest, OfInternetProtocolsAllowsTcpAndUdpOnly) {
  for (int family : {AF_INET, AF_INET6}) {
    auto open = [family](int type, int protocol) {
      return Under([=] { return ::socket(family, type, protocol); });
    };
    for (int protocol = 0; protocol < 300; ++protocol) {
      const bool known = protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP ||
                         protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6;
      if (known) continue;
      EXPECT_EQ(open(SOCK_STREAM, protocol), EPROTONOSUPPORT) << protocol;
      EXPECT_EQ(open(SOCK_RAW, protocol), EPROTONOSUPPORT) << protocol;
    }
    for (int type = 4; type < 16; ++type) EXPECT_EQ(open(type, 0), ESOCKTNOSUPPORT) << type;
    EXPECT_EQ(open(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ESOCKTNOSUPPORT);
    EXPECT_EQ(open(SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP), 0);
    EXPECT_EQ(open(SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP), 0);
    EXPECT_EQ(open(SOCK_DGRAM, 0), 0);
    // An int's upper half, which the kernel does not look at, hides nothing.
    EXPECT_EQ(UnderCall(SYS_socket, family, SOCK_STREAM, IPPROTO_SCTP | (1L << 32)),
              EPROTONOSUPPORT);
    EXPECT_EQ(UnderCall(SYS_socket, family, SOCK_SEQPACKET | (1L << 32), 0), ESOCKTNOSUPPORT);
  }
  EXPECT_EQ(Under([] { return ::socket(AF_UNIX, SOCK_SEQPACKET, 0); }), 0);
}

TEST(SeccompFilterTest, CallsNewerThanThePolicyAreNotThere) {
  EXPECT_EQ(UnderCall(467), ENOSYS);
  EXPECT_EQ(UnderCall(9999), ENOSYS);
}

#if defined(__x86_64__)
TEST(SeccompFilterTest, TheSecondNumberingIsNoWayAround) {
  constexpr long kX32 = 0x40000000;
  EXPECT_EQ(UnderCall(kX32 | SYS_unshare, CLONE_NEWUSER), ENOSYS);
  EXPECT_EQ(UnderCall(kX32 | SYS_getpid), ENOSYS);
}
#endif

TEST(SeccompFilterTest, RefusesANameThatIsNoCall) {
  EXPECT_FALSE(CompileFilter("# Why.\nnewest 466\ndeny EPERM mounte\n"));
}

}  // namespace
}  // namespace viv::runtime
