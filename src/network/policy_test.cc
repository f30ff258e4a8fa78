#include "network/policy.h"

#include <gtest/gtest.h>

namespace viv::network {
namespace {

Rules CompileOrDie(Policy policy) {
  auto rules = Rules::Compile(policy);
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().message);
  return rules ? *rules : Rules();
}

bool ReachesAddress(const Policy& policy, std::string_view address) {
  return CompileOrDie(policy).Allows("", address, 443);
}

TEST(PolicyTest, TellsTheKindsOfEntriesApart) {
  EXPECT_EQ(KindOf("8.8.8.8"), EntryKind::kAddress);
  EXPECT_EQ(KindOf("2001:4860::8888"), EntryKind::kAddress);
  EXPECT_EQ(KindOf("10.0.0.0/8"), EntryKind::kBlock);
  EXPECT_EQ(KindOf("::/0"), EntryKind::kBlock);
  EXPECT_EQ(KindOf("example.com"), EntryKind::kName);
  EXPECT_EQ(KindOf("Example.COM."), EntryKind::kName);
  EXPECT_EQ(KindOf("*.example.com"), EntryKind::kName);
  EXPECT_EQ(KindOf("_dmarc.example.com"), EntryKind::kName);
}

TEST(PolicyTest, RefusesWhatIsNoEntry) {
  for (std::string_view entry : {"",
                                 ".",
                                 "*",
                                 "*.",
                                 "a..b",
                                 "-a.com",
                                 "a-.com",
                                 "exa mple.com",
                                 "a.*.com",
                                 "http://a.com",
                                 "a.com:443",
                                 "10.0.0.0/33",
                                 "10.0.0.0/-1",
                                 "10.0.0.0/",
                                 "10.0.0.0/8x",
                                 "::/129",
                                 "1.2.3",
                                 "1.2.3.4.5",
                                 "256.1.1.1",
                                 "[::1]",
                                 "fe80::1%eth0",
                                 "a/8",
                                 "0x7f.1",
                                 "*.1.2.3.4"})
    EXPECT_EQ(KindOf(entry), EntryKind::kNothing) << entry;
  EXPECT_EQ(KindOf(std::string("a.com\0.evil", 11)), EntryKind::kNothing);
  EXPECT_EQ(KindOf(std::string("8.8.8.8\0", 8)), EntryKind::kNothing);
  EXPECT_EQ(KindOf(std::string(64, 'a') + ".com"), EntryKind::kNothing);
}

TEST(PolicyTest, NamesTheBadEntry) {
  auto bad_deny = Rules::Compile({{}, {"example.com"}, true});
  ASSERT_FALSE(bad_deny);
  EXPECT_EQ(bad_deny.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(bad_deny.error().message, "invalid denied CIDR example.com");
  auto bad_allow = Rules::Compile({{"ex ample"}, {}, true});
  ASSERT_FALSE(bad_allow);
  EXPECT_NE(bad_allow.error().message.find("ex ample"), std::string::npos);
  EXPECT_FALSE(Rules::Compile({std::vector<std::string>(5000, "1.1.1.1"), {}, true}));
}

TEST(PolicyTest, AnEmptyPolicyReachesEverything) {
  EXPECT_TRUE(ReachesAddress({}, "1.1.1.1"));
  EXPECT_TRUE(ReachesAddress({}, "2606:4700::1111"));
  EXPECT_FALSE(ReachesAddress({}, "not an address"));
}

TEST(PolicyTest, AllowWinsOverDeny) {
  Policy policy{{"1.1.1.1", "8.8.0.0/16"}, {"0.0.0.0/0"}, true};
  EXPECT_TRUE(ReachesAddress(policy, "1.1.1.1"));
  EXPECT_TRUE(ReachesAddress(policy, "8.8.4.4"));
  EXPECT_FALSE(ReachesAddress(policy, "1.1.1.2"));
  EXPECT_FALSE(ReachesAddress(policy, "8.9.0.1"));
}

TEST(PolicyTest, AllOfIpv4MeansAllTraffic) {
  EXPECT_FALSE(ReachesAddress({{}, {"0.0.0.0/0"}, true}, "2606:4700::1111"));
  EXPECT_TRUE(ReachesAddress({{"0.0.0.0/0"}, {"0.0.0.0/0"}, true}, "2606:4700::1111"));
}

TEST(PolicyTest, AllOfIpv6IsNotAllOfIpv4) {
  EXPECT_TRUE(ReachesAddress({{}, {"::/0"}, true}, "1.1.1.1"));
  EXPECT_FALSE(ReachesAddress({{}, {"::/0"}, true}, "2606:4700::1111"));
  EXPECT_FALSE(ReachesAddress({{"::/0"}, {}, false}, "1.1.1.1"));
  EXPECT_FALSE(ReachesAddress({{"::ffff:0:0/80"}, {}, false}, "1.1.1.1"));
}

TEST(PolicyTest, WritingAnAddressDifferentlyPassesNoList) {
  Policy policy{{}, {"1.2.3.0/24"}, true};
  EXPECT_FALSE(ReachesAddress(policy, "1.2.3.4"));
  EXPECT_FALSE(ReachesAddress(policy, "::ffff:1.2.3.4"));
  EXPECT_FALSE(ReachesAddress(policy, "64:ff9b::1.2.3.4"));
  EXPECT_FALSE(ReachesAddress(policy, "2002:102:304::1"));
  EXPECT_FALSE(ReachesAddress({{}, {"::ffff:1.2.3.0/120"}, true}, "1.2.3.4"));
  EXPECT_TRUE(ReachesAddress(policy, "64:ff9b::1.2.4.4"));
}

TEST(PolicyTest, ABlockEndsWhereItsBitsEnd) {
  EXPECT_FALSE(ReachesAddress({{}, {"12.34.56.128/25"}, true}, "12.34.56.128"));
  EXPECT_TRUE(ReachesAddress({{}, {"12.34.56.128/25"}, true}, "12.34.56.127"));
  EXPECT_FALSE(ReachesAddress({{}, {"2606:4700::/33"}, true}, "2606:4700:7fff::1"));
  EXPECT_TRUE(ReachesAddress({{}, {"2606:4700::/33"}, true}, "2606:4700:8000::1"));
}

TEST(PolicyTest, ANameAllowsTheAddressItGave) {
  Rules rules = CompileOrDie({{"Example.com.", "*.cdn.net"}, {"0.0.0.0/0"}, true});
  EXPECT_TRUE(rules.Allows("example.COM", "1.1.1.1", 443));
  EXPECT_TRUE(rules.Allows("example.com.", "1.1.1.1", 443));
  EXPECT_TRUE(rules.Allows("a.b.cdn.net", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("cdn.net", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("evilcdn.net", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("www.example.com", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("example.com.evil.org", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("", "1.1.1.1", 443));
}

TEST(PolicyTest, WithoutInternetOnlyTheAllowedIsReached) {
  Rules rules = CompileOrDie({{"example.com", "9.9.9.9"}, {}, false});
  EXPECT_TRUE(rules.Allows("example.com", "1.1.1.1", 80));
  EXPECT_TRUE(rules.Allows("", "9.9.9.9", 80));
  EXPECT_FALSE(rules.Allows("other.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("", "1.1.1.1", 80));
}

TEST(PolicyTest, ResolvesOnlyAllowedNamesWhereAllIsDenied) {
  EXPECT_TRUE(CompileOrDie({}).MayResolve("anything.org"));
  EXPECT_TRUE(CompileOrDie({{}, {"1.2.3.0/24"}, true}).MayResolve("anything.org"));
  for (const Policy& closed :
       {Policy{{"*.x.org"}, {"0.0.0.0/0"}, true}, Policy{{"*.x.org"}, {}, false}}) {
    EXPECT_TRUE(CompileOrDie(closed).MayResolve("a.x.org"));
    EXPECT_FALSE(CompileOrDie(closed).MayResolve("c2VjcmV0.evil.org"));
  }
  EXPECT_TRUE(CompileOrDie({{"0.0.0.0/0"}, {}, false}).MayResolve("anything.org"));
}

TEST(PolicyTest, KnowsPrivateAddresses) {
  for (std::string_view address : {"0.0.0.0",
                                   "0.1.2.3",
                                   "10.1.2.3",
                                   "100.64.0.1",
                                   "100.127.255.255",
                                   "127.0.0.1",
                                   "127.255.255.254",
                                   "169.254.169.254",
                                   "172.16.0.1",
                                   "172.31.255.255",
                                   "192.168.1.1",
                                   "192.0.0.1",
                                   "198.18.0.1",
                                   "224.0.0.1",
                                   "239.255.255.255",
                                   "240.0.0.1",
                                   "255.255.255.255",
                                   "::",
                                   "::1",
                                   "::127.0.0.1",
                                   "::ffff:10.0.0.1",
                                   "::ffff:127.0.0.1",
                                   "::ffff:169.254.169.254",
                                   "64:ff9b::10.0.0.1",
                                   "64:ff9b::169.254.169.254",
                                   "64:ff9b:1::1",
                                   "2002:7f00:1::",
                                   "2002:a00:1::1",
                                   "2001:0:1::1",
                                   "fc00::1",
                                   "fd00:ec2::254",
                                   "fe80::1",
                                   "febf::1",
                                   "fec0::1",
                                   "ff02::1",
                                   "100::1",
                                   "2001:db8::1",
                                   "",
                                   "localhost",
                                   "1.1.1.1 "})
    EXPECT_TRUE(IsPrivateAddress(address)) << address;
}

TEST(PolicyTest, KnowsPublicAddresses) {
  for (std::string_view address :
       {"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
        "169.253.1.1", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700::1111",
        "2002:808:808::1", "2001:4860:4860::8888"})
    EXPECT_FALSE(IsPrivateAddress(address)) << address;
}

}  // namespace
}  // namespace viv::network
