#include "network/address.h"

#include <gtest/gtest.h>

namespace viv::network {
namespace {

// The blocks that the IANA registries of special-purpose addresses list as not globally reachable
// (RFC 6890 and later), each by its first and last address, and those that clouds reserve.
TEST(AddressTest, EveryReservedBlockIsPrivateFromItsFirstToItsLastAddress) {
  for (std::string_view text :
       {"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.0", "127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0",
        "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0",
        "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0", "255.255.255.255",
        "::", "::1", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::", "100:0:0:1::1",
        "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1", "2001:db8:ffff::1",
        "3fff:fff::1", "5f00::1", "fc00::", "fdff:ffff::1", "fe80::", "febf:ffff::1", "fec0::1",
        "ff00::", "ffff::1",
        // Metadata and host services.
        "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16",
        "fd00:ec2::254", "fd20:ce::254"})
    EXPECT_TRUE(ParseAddress(text)->IsPrivate()) << text;
}

TEST(AddressTest, APrivateIpv4AddressIsPrivateInEveryIpv6Dress) {
  for (std::string_view text :
       {"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", "::ffff:0:10.0.0.1",
        "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::10.1.2.3",
        "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:101::1", "2001:0:7f00:1::1"})
    EXPECT_TRUE(ParseAddress(text)->IsPrivate()) << text;
}

TEST(AddressTest, NeighboursOfReservedBlocksArePublic) {
  for (std::string_view text :
       {"1.0.0.0",         "9.255.255.255",   "11.0.0.0",        "100.63.255.255",
        "100.128.0.0",     "126.255.255.255", "128.0.0.0",       "168.63.129.15",
        "168.63.129.17",   "169.253.255.255", "169.255.0.0",     "172.15.255.255",
        "172.32.0.0",      "192.0.1.0",       "192.0.3.0",       "192.167.255.255",
        "192.169.0.0",     "198.17.255.255",  "198.20.0.0",      "198.51.101.0",
        "203.0.112.255",   "203.0.114.0",     "223.255.255.255", "64:ff9b::8.8.8.8",
        "64:ff9b:2::1",    "100:0:0:2::1",    "2001:200::1",     "2001:db7::1",
        "2002:808:808::1", "3fff:1000::1",    "fbff::1",         "::ffff:8.8.8.8"})
    EXPECT_FALSE(ParseAddress(text)->IsPrivate()) << text;
}

TEST(AddressTest, OnlyTheStrictFormsAreAddresses) {
  for (std::string_view text :
       {"", "1", "127.1", "0x7f.0.0.1", "0177.0.0.1", "1.2.3.4.", " 1.2.3.4", "1.2.3.4:80", "[::1]",
        "fe80::1%lo", "::g", "1::2::3", "localhost"})
    EXPECT_FALSE(ParseAddress(text)) << text;
}

}  // namespace
}  // namespace viv::network
