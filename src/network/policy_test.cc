#include "network/policy.h"

#include <gtest/gtest.h>

#include "base/text.h"

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
    EXPECT_EQ(KindOf(entry), EntryKind::kOther) << entry;
  EXPECT_EQ(KindOf(std::string("a.com\0.evil", 11)), EntryKind::kOther);
  EXPECT_EQ(KindOf(std::string("8.8.8.8\0", 8)), EntryKind::kOther);
  EXPECT_EQ(KindOf(std::string(64, 'a') + ".com"), EntryKind::kOther);
}

TEST(PolicyTest, NamesTheBadEntryAndWhatIsWrong) {
  auto bad_allow = Rules::Compile({{"good.com", "ex ample"}, {}, true});
  ASSERT_FALSE(bad_allow);
  EXPECT_EQ(bad_allow.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(bad_allow.error().message.find("invalid allowed entry ex ample: give an address"), 0U);
  auto bad_deny = Rules::Compile({{}, {"1.2.3.0/24:443"}, true});
  ASSERT_FALSE(bad_deny);
  EXPECT_EQ(bad_deny.error().message,
            "invalid denied entry 1.2.3.0/24:443: a block ends in /0 to /32, and takes no port");
  for (const std::string& entry : {std::string("a\xff\0b", 4), std::string("~[\xff-a]")}) {
    auto bytes = Rules::Compile({{entry}, {}, true});
    ASSERT_FALSE(bytes);
    EXPECT_TRUE(IsValidUtf8(bytes.error().message));
  }
}

TEST(PolicyTest, RefusesEntriesThatCannotBeRead) {
  for (std::string_view entry : {"",
                                 ".",
                                 "*.",
                                 "..",
                                 "a..b",
                                 "a..*",
                                 "*..a",
                                 "-a.com",
                                 "exa mple.com",
                                 "http://a.com",
                                 "a.com/path",
                                 "a.com:",
                                 "a.com:0",
                                 "a.com:65536",
                                 "a.com:080",
                                 "a.com:99999999999",
                                 "a.com:http",
                                 "a.com:*",
                                 "a.com:1:2",
                                 ":443",
                                 "1.2.3",
                                 "1.2.3:80",
                                 "1.2.3.4.5",
                                 "256.1.1.1",
                                 "256.1.1.1:80",
                                 "1.2.3.4:",
                                 "10.0.0.0/33",
                                 "10.0.0.0/8:80",
                                 "10.0.0.0/",
                                 "::/129",
                                 "::/0:1",
                                 "[]",
                                 "[",
                                 "[::1",
                                 "[::1]x",
                                 "[::1]:",
                                 "[::1]:0",
                                 "[::1]80",
                                 "[1.2.3.4]",
                                 "[a.com]:80",
                                 "fe80::1%eth0",
                                 "*.1.2.3.4.5",
                                 "a*:70000",
                                 "a b*",
                                 "*/8",
                                 "~",
                                 "~(",
                                 "~a(?=b)",
                                 "~[z-a]",
                                 "~a{1001}",
                                 "a.com\n",
                                 "*\t"}) {
    EXPECT_FALSE(Rules::Compile({{std::string(entry)}, {}, true})) << entry;
    EXPECT_FALSE(Rules::Compile({{}, {std::string(entry)}, true})) << entry;
  }
  EXPECT_FALSE(Rules::Compile({{std::string("a.com\0", 6)}, {}, true}));
  EXPECT_FALSE(Rules::Compile({{std::string(64, 'a') + ".com"}, {}, true}));
  EXPECT_FALSE(Rules::Compile({{"~" + std::string(513, 'a')}, {}, true}));
  EXPECT_FALSE(Rules::Compile({{"*a*a*a*a*a*a*a*a*"}, {}, true}));
}

TEST(PolicyTest, BoundsWhatAPolicyMayCost) {
  EXPECT_FALSE(
      Rules::Compile({std::vector<std::string>(kPolicyEntriesMax + 1, "1.1.1.1"), {}, true}));
  EXPECT_TRUE(Rules::Compile({std::vector<std::string>(256, "a*b"), {}, true}));
  EXPECT_FALSE(Rules::Compile({std::vector<std::string>(257, "a*b"), {}, true}));
  EXPECT_TRUE(Rules::Compile({std::vector<std::string>(64, "~a"), {}, true}));
  EXPECT_FALSE(Rules::Compile({std::vector<std::string>(65, "~a"), {}, true}));
  EXPECT_FALSE(Rules::Compile({{"~((((a{10}){10}){10}){10}){10}"}, {}, true}));
  EXPECT_FALSE(Rules::Compile({std::vector<std::string>(60, "~a{200}"), {}, true}));
}

TEST(PolicyTest, AThousandRulesTakeLittleMemoryAndAreAllFound) {
  Policy policy;
  policy.internet = false;
  for (int i = 0; i < 1000; ++i) {
    std::string number = std::to_string(i);
    switch (i % 5) {
      case 0:
        policy.allow.push_back("service-" + number + ".example.com");
        break;
      case 1:
        policy.allow.push_back("*.region" + number + ".example.net");
        break;
      case 2:
        policy.allow.push_back("registry" + number + ".example.org:443");
        break;
      case 3:
        policy.allow.push_back("93." + std::to_string(i / 250) + "." + std::to_string(i % 250) +
                               ".0/24");
        break;
      default:
        policy.allow.push_back("104.16.1." + std::to_string(i % 250) + ":443");
    }
  }
  Rules rules = CompileOrDie(policy);
  EXPECT_LT(rules.bytes(), 64U << 10);
  for (int i = 0; i < 1000; i += 5) {
    EXPECT_TRUE(rules.Allows("service-" + std::to_string(i) + ".example.com", "1.1.1.1", 80));
    EXPECT_TRUE(rules.Allows("x.region" + std::to_string(i + 1) + ".example.net", "1.1.1.1", 80));
    EXPECT_TRUE(rules.Allows("registry" + std::to_string(i + 2) + ".example.org", "1.1.1.1", 443));
    EXPECT_FALSE(rules.Allows("registry" + std::to_string(i + 2) + ".example.org", "1.1.1.1", 80));
    EXPECT_FALSE(rules.Allows("service-" + std::to_string(i + 1) + ".example.com", "1.1.1.1", 80));
  }
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

TEST(PolicyTest, APortLimitsAnEntryToIt) {
  Rules rules = CompileOrDie({{"Example.com.:443", "*.cdn.net:8443", "9.9.9.9:53",
                               "[2606:4700::1]:80", "[2606:4700::2]", "multi.org:1", "multi.org:2"},
                              {},
                              false});
  EXPECT_TRUE(rules.Allows("example.com", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("example.com", "1.1.1.1", 80));
  EXPECT_TRUE(rules.Allows("a.cdn.net", "1.1.1.1", 8443));
  EXPECT_FALSE(rules.Allows("a.cdn.net", "1.1.1.1", 443));
  EXPECT_TRUE(rules.Allows("", "9.9.9.9", 53));
  EXPECT_TRUE(rules.Allows("dns.org", "::ffff:9.9.9.9", 53));
  EXPECT_FALSE(rules.Allows("", "9.9.9.9", 54));
  EXPECT_TRUE(rules.Allows("", "2606:4700::1", 80));
  EXPECT_FALSE(rules.Allows("", "2606:4700::1", 81));
  EXPECT_TRUE(rules.Allows("", "2606:4700::2", 81));
  EXPECT_TRUE(rules.Allows("multi.org", "1.1.1.1", 1));
  EXPECT_TRUE(rules.Allows("multi.org", "1.1.1.1", 2));
  EXPECT_FALSE(rules.Allows("multi.org", "1.1.1.1", 3));
}

TEST(PolicyTest, AStarIsAnyRunOfCharacters) {
  Rules every = CompileOrDie({{"*:443"}, {}, false});
  EXPECT_TRUE(every.Allows("any.org", "1.1.1.1", 443));
  EXPECT_TRUE(every.Allows("", "1.1.1.1", 443));
  EXPECT_TRUE(every.Allows("", "2606:4700::1", 443));
  EXPECT_FALSE(every.Allows("any.org", "1.1.1.1", 80));
  Rules some = CompileOrDie({{"api-*.example.com", "eu.*.net:80", "*Internal*"}, {}, false});
  EXPECT_TRUE(some.Allows("API-1.example.com", "1.1.1.1", 443));
  EXPECT_TRUE(some.Allows("api-a.b.example.com", "1.1.1.1", 443));
  EXPECT_FALSE(some.Allows("api.example.com", "1.1.1.1", 443));
  EXPECT_FALSE(some.Allows("api-1.example.com.evil.org", "1.1.1.1", 443));
  EXPECT_TRUE(some.Allows("eu.x.net", "1.1.1.1", 80));
  EXPECT_FALSE(some.Allows("eu.x.net", "1.1.1.1", 443));
  EXPECT_TRUE(some.Allows("my-internal-box", "1.1.1.1", 443));
  EXPECT_FALSE(some.Allows("", "1.1.1.1", 443));
}

TEST(PolicyTest, APatternOfNumbersIsForAddressesOnly) {
  Rules rules = CompileOrDie({{"93.184.*"}, {}, false});
  EXPECT_TRUE(rules.Allows("", "93.184.1.2", 80));
  EXPECT_TRUE(rules.Allows("any.org", "93.184.1.2", 80));
  EXPECT_FALSE(rules.Allows("", "93.185.1.2", 80));
  // Otherwise the owner of evil.org could be reached through a name that looks like an address.
  EXPECT_FALSE(rules.Allows("93.184.evil.org", "1.1.1.1", 80));
  EXPECT_FALSE(rules.MayResolve("93.184.evil.org"));
}

TEST(PolicyTest, AnExpressionFitsTheWholeHostInAnyCase) {
  Rules rules = CompileOrDie({{R"(~(api|cdn)\d+\.Example\.com)"}, {}, false});
  EXPECT_TRUE(rules.Allows("api12.example.COM.", "1.1.1.1", 443));
  EXPECT_TRUE(rules.Allows("cdn3.example.com", "1.1.1.1", 9));
  EXPECT_FALSE(rules.Allows("xapi12.example.com", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("api12.example.com.evil.org", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("api.example.com", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("", "1.1.1.1", 443));
  // A colon is part of the expression: there is no port.
  Rules colon = CompileOrDie({{R"(~a\.com:443)"}, {}, false});
  EXPECT_FALSE(colon.Allows("a.com", "1.1.1.1", 443));
  // The anchors apply to the whole list of alternatives.
  Rules either = CompileOrDie({{R"(~a\.com|b\.com)"}, {}, false});
  EXPECT_TRUE(either.Allows("b.com", "1.1.1.1", 443));
  EXPECT_FALSE(either.Allows("a.com.evil.org", "1.1.1.1", 443));
}

TEST(PolicyTest, ADeniedHostIsDeniedAndAllOthersAreNot) {
  Rules rules = CompileOrDie(
      {{},
       {"bad.com", "*.ads.net", "half.org:443", R"(~track.*\.io)", "x-*.com", "9.9.9.9:53"},
       true});
  EXPECT_FALSE(rules.Allows("BAD.com", "1.1.1.1", 80));
  EXPECT_TRUE(rules.Allows("notbad.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("a.ads.net", "1.1.1.1", 80));
  EXPECT_TRUE(rules.Allows("ads.net", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("half.org", "1.1.1.1", 443));
  EXPECT_TRUE(rules.Allows("half.org", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("tracker.io", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("x-1.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("", "9.9.9.9", 53));
  EXPECT_FALSE(rules.Allows("", "64:ff9b::9.9.9.9", 53));
  EXPECT_TRUE(rules.Allows("", "9.9.9.9", 443));
  EXPECT_TRUE(rules.Allows("", "1.1.1.1", 80));
}

TEST(PolicyTest, AnAllowedPortWinsOverADeniedHost) {
  Rules rules = CompileOrDie({{"bad.com:443"}, {"bad.com", "*:22"}, true});
  EXPECT_TRUE(rules.Allows("bad.com", "1.1.1.1", 443));
  EXPECT_FALSE(rules.Allows("bad.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("good.com", "1.1.1.1", 22));
  EXPECT_TRUE(rules.MayResolve("bad.com"));
}

TEST(PolicyTest, ADeniedStarIsEverything) {
  Rules rules = CompileOrDie({{"good.com"}, {"*"}, true});
  EXPECT_TRUE(rules.Allows("good.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("other.com", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("", "1.1.1.1", 80));
  EXPECT_FALSE(rules.Allows("", "2606:4700::1", 80));
  EXPECT_FALSE(rules.MayResolve("other.com"));
}

TEST(PolicyTest, ResolvesWhatSomePortIsAllowedOf) {
  Rules closed = CompileOrDie({{"a.com:443", "*.b.com:80", R"(~c\d\.com)", "9.9.9.9"}, {}, false});
  for (std::string_view name : {"a.com", "A.com.", "x.b.com", "c1.com"})
    EXPECT_TRUE(closed.MayResolve(name)) << name;
  for (std::string_view name : {"b.com", "c.com", "x.a.com", "9.9.9.9", "", "."})
    EXPECT_FALSE(closed.MayResolve(name)) << name;
  EXPECT_TRUE(CompileOrDie({{"*:443"}, {}, false}).MayResolve("anything.org"));
  Rules open = CompileOrDie({{}, {"bad.com", "half.org:443", "*.ads.net", "*:25"}, true});
  EXPECT_FALSE(open.MayResolve("bad.com."));
  EXPECT_FALSE(open.MayResolve("x.ads.net"));
  EXPECT_TRUE(open.MayResolve("half.org"));
  EXPECT_TRUE(open.MayResolve("good.com"));
}

TEST(PolicyTest, KnowsWhetherSomePortOfAnAddressIsOpen) {
  Rules rules = CompileOrDie({{"10.1.2.3:80", "10.2.0.0/16"}, {}, false});
  EXPECT_TRUE(rules.AllowsSomePort(*ParseAddress("10.1.2.3")));
  EXPECT_TRUE(rules.AllowsSomePort(*ParseAddress("10.2.9.9")));
  EXPECT_FALSE(rules.AllowsSomePort(*ParseAddress("10.1.2.4")));
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

TEST(PolicyTest, KnowsWhereCloudsKeepTheMachinesCredentials) {
  for (const char* address :
       {"169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
        "100.100.100.200", "168.63.129.16", "192.0.0.192", "64:ff9b::168.63.129.16", "fe80::1",
        "fd00:ec2::254", "metadata", ""})
    EXPECT_TRUE(IsMetadataAddress(address)) << address;
  for (const char* address :
       {"127.0.0.1", "10.0.0.1", "169.253.0.1", "100.100.100.201", "168.63.129.17", "192.0.0.191",
        "::1", "fd00:ec2::253", "2001:db8::1"})
    EXPECT_FALSE(IsMetadataAddress(address)) << address;
}

}  // namespace
}  // namespace viv::network
