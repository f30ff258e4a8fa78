#pragma once
// An internet for tests and benchmarks: a namespace in which every address is local, so that
// servers can listen on public addresses and an Egress in it dials them.

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "network/address.h"
#include "network/netlink.h"

namespace viv::network {

constexpr std::string_view kPublic = "93.184.216.34";
constexpr std::string_view kOtherPublic = "93.184.216.35";
constexpr std::string_view kPublic6 = "2606:2800:220:1::1";
constexpr std::string_view kHostPublic = "45.45.45.45";  // of the machine on which the egress runs

// Makes every address local to the calling thread's namespace, with a separate source address, so
// that only kHostPublic is an address of the machine.
inline Status MakeTestInternet() {
  NetlinkBatch batch;
  batch.Begin("lo", RTM_NEWLINK, NLM_F_ACK);
  ifinfomsg link{};
  link.ifi_index = 1;
  link.ifi_flags = link.ifi_change = 1;  // up
  batch.Body(&link, sizeof link);
  for (std::string_view text :
       {kHostPublic, std::string_view("44.44.44.44"), std::string_view("2606::44")}) {
    std::string raw = ParseAddress(text)->Raw();
    batch.Begin("address", RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE);
    ifaddrmsg body{};
    body.ifa_family = raw.size() == 4 ? AF_INET : AF_INET6;
    body.ifa_prefixlen = static_cast<std::uint8_t>(raw.size() * 8);
    body.ifa_index = 1;
    batch.Body(&body, sizeof body);
    batch.Number32(IFA_FLAGS, IFA_F_NODAD | IFA_F_NOPREFIXROUTE);  // as in namespace_setup.cc
    batch.Attribute(IFA_LOCAL, raw.data(), raw.size());
    if (text == kHostPublic) continue;
    batch.Begin("route", RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE);
    rtmsg route{};
    route.rtm_family = body.ifa_family;
    route.rtm_table = RT_TABLE_MAIN;
    route.rtm_protocol = RTPROT_STATIC;
    route.rtm_scope = RT_SCOPE_HOST;
    route.rtm_type = RTN_LOCAL;
    batch.Body(&route, sizeof route);
    batch.Number32(RTA_OIF, 1);
    batch.Attribute(RTA_PREFSRC, raw.data(), raw.size());
  }
  return SendNetlink(NETLINK_ROUTE, batch);
}

}  // namespace viv::network
