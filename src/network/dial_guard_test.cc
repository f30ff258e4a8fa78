#include "network/dial_guard.h"

#include <gtest/gtest.h>

#include "network/policy.h"

namespace viv::network {
namespace {

DialGuard Opening(const std::vector<std::string>& entries) {
  auto guard = DialGuard::Compile(entries);
  EXPECT_TRUE(guard) << guard.error().message;
  return *std::move(guard);
}

constexpr const char* kMetadata[] = {
    "169.254.169.254",        "168.63.129.16",     "192.0.0.192", "fe80::1",
    "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"};  // the first one, behind NAT64
constexpr const char* kPrivate[] = {"10.0.0.1",   "172.16.0.1", "192.168.1.1",
                                    "100.64.0.1", "fd12::1",    "::ffff:10.0.0.1"};
constexpr const char* kLoopback[] = {"127.0.0.1", "127.9.9.9", "0.0.0.0",
                                     "::1",       "::",        "::ffff:127.0.0.1"};
constexpr const char* kNoAddress[] = {"", "localhost", "1.2.3", "010.0.0.1", "fe80::1%eth0"};

TEST(DialGuardTest, OpensPublicAddressesAlone) {
  const DialGuard guard;
  EXPECT_TRUE(guard.Check("93.184.216.34", 443));
  EXPECT_TRUE(guard.Check("2606:2800:220:1::1", 443));
  for (const auto& addresses : {kMetadata, kPrivate, kLoopback})
    for (int i = 0; i < 6; ++i) {
      const Status refused = guard.Check(addresses[i], 80);
      ASSERT_FALSE(refused) << addresses[i];
      EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
    }
  for (const char* text : kNoAddress) EXPECT_FALSE(guard.Check(text, 80)) << text;
}

TEST(DialGuardTest, OpensWhatTheOperatorOpened) {
  const DialGuard guard = Opening({"10.1.0.0/16", "192.168.1.1:8080"});
  EXPECT_TRUE(guard.Check("10.1.2.3", 1));
  EXPECT_TRUE(guard.Check("::ffff:10.1.2.3", 1));
  EXPECT_FALSE(guard.Check("10.2.0.1", 1));
  EXPECT_TRUE(guard.Check("192.168.1.1", 8080));
  EXPECT_FALSE(guard.Check("192.168.1.1", 80));
  EXPECT_TRUE(guard.OpensSomePort(*ParseAddress("192.168.1.1")));
  EXPECT_FALSE(guard.OpensSomePort(*ParseAddress("192.168.1.2")));
}

TEST(DialGuardTest, OpensLoopbackOnlyByEntriesThatNameIt) {
  const DialGuard everything = Opening({"0.0.0.0/0", "::/0"});
  EXPECT_TRUE(everything.Check("10.0.0.1", 80));
  for (const char* address : kLoopback) EXPECT_FALSE(everything.Check(address, 80)) << address;
  const DialGuard named = Opening({"127.0.0.0/8"});
  EXPECT_TRUE(named.Check("127.0.0.1", 80));
  EXPECT_FALSE(named.Check("::1", 80));
  EXPECT_FALSE(named.Check("0.0.0.0", 80));
  EXPECT_TRUE(Opening({"::1"}).Check("::1", 80));
  EXPECT_TRUE(Opening({"[::1]:80"}).Check("::1", 80));
  EXPECT_FALSE(Opening({"[::1]:80"}).Check("::1", 81));
}

TEST(DialGuardTest, NothingOpensMetadataServices) {
  for (const DialGuard& guard : {Opening({"0.0.0.0/0", "::/0", "169.254.169.254", "168.63.129.16"}),
                                 DialGuard::AllButMetadata()})
    for (const char* address : kMetadata) EXPECT_FALSE(guard.Check(address, 80)) << address;
}

TEST(DialGuardTest, MayOpenEverythingElse) {
  const DialGuard guard = DialGuard::AllButMetadata();
  for (const char* address : {"127.0.0.1", "10.0.0.1", "::1", "93.184.216.34"})
    EXPECT_TRUE(guard.Check(address, 80)) << address;
  for (const char* text : kNoAddress) EXPECT_FALSE(guard.Check(text, 80)) << text;
}

TEST(DialGuardTest, NamesABadEntry) {
  const auto guard = DialGuard::Compile({"10.0.0.0/99"});
  ASSERT_FALSE(guard);
  EXPECT_EQ(guard.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace viv::network
