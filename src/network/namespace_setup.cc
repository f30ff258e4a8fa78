#include "network/namespace_setup.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <string>

#include "network/address.h"
#include "network/namespaces.h"
#include "network/netlink.h"
#include "network/redirect.h"
#include "network/scoped_netns.h"
#include "network/sysctl.h"

namespace viv::network {
namespace {

constexpr std::uint32_t kLoopback = 1;  // the index of `lo` in every namespace

enum class Need { kRequired, kIfPresent };

struct SysctlSetting {
  const char* path;
  const char* value;
  Need need;
};

constexpr SysctlSetting kSysctls[] = {
    // Root in a box has no capability over this namespace, but may serve port 80.
    {"ipv4/ip_unprivileged_port_start", "0", Need::kRequired},
    // ICMP sockets are disabled: there is nobody to ping.
    {"ipv4/ping_group_range", "1 0", Need::kIfPresent},
    {"ipv6/conf/lo/disable_ipv6", "0", Need::kIfPresent},
    // Buffers are small and a listener's queue is short, because the kernel charges unaccepted
    // connections to no box.
    {"ipv4/tcp_rmem", "4096 65536 1048576", Need::kRequired},
    {"ipv4/tcp_wmem", "4096 16384 1048576", Need::kRequired},
    {"core/somaxconn", "1024", Need::kIfPresent},
    // Conntrack entries of DNS questions expire soon, to bound the kernel memory that a box can
    // use.
    {"netfilter/nf_conntrack_udp_timeout", "10", Need::kIfPresent},
    {"netfilter/nf_conntrack_udp_timeout_stream", "10", Need::kIfPresent},
};

Status ApplySysctl(const SysctlSetting& setting) {
  Status written = WriteSysctl(setting.path, setting.value);
  return setting.need == Need::kRequired ? written : Status();
}

void AddLink(NetlinkBatch& batch) {
  batch.Begin("set lo up", RTM_NEWLINK, NLM_F_ACK);
  ifinfomsg link{};
  link.ifi_index = static_cast<int>(kLoopback);
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  batch.Body(&link, sizeof link);
}

// No prefix route: the IPv6 one would lead nowhere until the kernel has added the local route of
// the address, which it does later. The default route is enough until then.
void AddAddress(NetlinkBatch& batch, const Address& address) {
  std::string raw = address.Raw();
  batch.Begin("add the box's address", RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
  ifaddrmsg body{};
  body.ifa_family = address.IsV4() ? AF_INET : AF_INET6;
  body.ifa_prefixlen = static_cast<std::uint8_t>(raw.size() * 8);
  body.ifa_index = kLoopback;
  batch.Body(&body, sizeof body);
  batch.Number32(IFA_FLAGS, IFA_F_NODAD | IFA_F_NOPREFIXROUTE);
  batch.Attribute(IFA_LOCAL, raw.data(), raw.size());
  batch.Attribute(IFA_ADDRESS, raw.data(), raw.size());
}

// Every destination is local, so that packets are delivered to the listener. The box's address is
// the source; without it the source would be the destination itself.
void AddDefaultRoute(NetlinkBatch& batch, const Address& source) {
  std::string raw = source.Raw();
  batch.Begin("route everything to lo", RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE);
  rtmsg body{};
  body.rtm_family = source.IsV4() ? AF_INET : AF_INET6;
  body.rtm_table = RT_TABLE_MAIN;
  body.rtm_protocol = RTPROT_STATIC;
  body.rtm_scope = RT_SCOPE_HOST;
  body.rtm_type = RTN_LOCAL;
  batch.Body(&body, sizeof body);
  batch.Number32(RTA_OIF, kLoopback);
  batch.Attribute(RTA_PREFSRC, raw.data(), raw.size());
}

Status ConfigureLoopback(const Address& address) {
  NetlinkBatch batch;
  if (address.IsV4()) AddLink(batch);
  AddAddress(batch, address);
  AddDefaultRoute(batch, address);
  return SendNetlink(NETLINK_ROUTE, batch);
}

}  // namespace

Status SetUpNamespace() {
  RETURN_IF_ERROR(ConfigureLoopback(*ParseAddress(kBoxAddress)), "configure lo");
  for (const SysctlSetting& setting : kSysctls) RETURN_IF_ERROR(ApplySysctl(setting));
  // On a machine without IPv6, boxes have none either.
  if (HasSysctl("ipv6"))
    RETURN_IF_ERROR(ConfigureLoopback(*ParseAddress(kBoxAddress6)), "configure lo for IPv6");
  return InstallRedirect();
}

Status ProbeNamespaces() {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::EnterNew());
  return SetUpNamespace();
}

}  // namespace viv::network
