#include "runtime/seccomp_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace viv::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kNewest = "# As of Linux 6.13.\nnewest 466\n";

Result<Policy> ParseWithNewest(std::string_view rules) {
  return ParsePolicy(std::string(kNewest) + std::string(rules));
}

TEST(SeccompPolicyTest, ReadsNamesAndTheirError) {
  auto policy = ParseWithNewest("# Why.\ndeny EPERM mount  umount2\ndeny ENOSYS 457\n");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->newest, 466U);
  ASSERT_EQ(policy->rules.size(), 2U);
  EXPECT_EQ(policy->rules[0].error, EPERM);
  EXPECT_THAT(policy->rules[0].calls, ElementsAre("mount", "umount2"));
  EXPECT_TRUE(policy->rules[0].tests.empty());
  EXPECT_EQ(policy->rules[1].error, ENOSYS);
}

TEST(SeccompPolicyTest, ReadsTestsOfArguments) {
  auto policy = ParseWithNewest(
      "# Why.\n"
      "deny EPERM clone if arg0 & 0x10000000 == 0x10000000\n"
      "deny EAFNOSUPPORT socket socketpair if arg0 > 16\n"
      "deny EPROTONOSUPPORT socket if arg0 == 16 and arg2 != 0\n");
  ASSERT_TRUE(policy) << policy.error().message;
  using Kind = ArgumentTest::Kind;
  EXPECT_THAT(policy->rules[0].tests,
              ElementsAre(ArgumentTest{0, Kind::kMaskedEqual, 0x10000000, 0x10000000}));
  EXPECT_THAT(policy->rules[1].calls, ElementsAre("socket", "socketpair"));
  EXPECT_THAT(policy->rules[1].tests, ElementsAre(ArgumentTest{0, Kind::kGreater, 0, 16}));
  EXPECT_THAT(policy->rules[2].tests, ElementsAre(ArgumentTest{0, Kind::kEqual, 0, 16},
                                                  ArgumentTest{2, Kind::kNotEqual, 0, 0}));
}

TEST(SeccompPolicyTest, RefusesARuleWithoutItsReason) {
  for (const char* text :
       {"\ndeny EPERM mount\n", "# Why.\n\ndeny EPERM mount\n", "#\ndeny EPERM mount\n"}) {
    auto policy = ParseWithNewest(text);
    ASSERT_FALSE(policy) << text;
    EXPECT_THAT(policy.error().message, HasSubstr("reason"));
  }
}

TEST(SeccompPolicyTest, NamesTheLineThatIsNoRule) {
  auto policy = ParseWithNewest("# Why.\nallow EPERM mount\n");
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.error().message, HasSubstr("line 4"));
}

TEST(SeccompPolicyTest, RefusesBrokenRules) {
  for (const char* rule : {"deny",
                           "deny EPERM",
                           "deny EWHAT mount",
                           "deny mount",
                           "deny EPERM if arg0 == 1",
                           "deny EPERM x if",
                           "deny EPERM x if arg6 == 1",
                           "deny EPERM x if arg0 = 1",
                           "deny EPERM x if arg0 == y",
                           "deny EPERM x if arg0 == 1 and",
                           "deny EPERM x if arg0 == 1 or",
                           "deny EPERM x if arg0 == 1 and arg0 == 2",
                           "deny EPERM x if arg0 & 1 != 1",
                           "deny EPERM x if arg0 == 1 arg1 == 2",
                           "deny EPERM x if arg == 1",
                           "deny EPERM x if arg0 == 0x",
                           "newest",
                           "newest x",
                           "newest 5 6",
                           "newest 400000"})
    EXPECT_FALSE(ParseWithNewest(std::string("# Why.\n") + rule + "\n")) << rule;
}

TEST(SeccompPolicyTest, HasToSayOnceWhichCallIsTheNewest) {
  EXPECT_FALSE(ParsePolicy("# Why.\ndeny EPERM mount\n"));
  EXPECT_FALSE(ParseWithNewest("# Again.\nnewest 467\n"));
}

TEST(SeccompPolicyTest, TheBoxesPolicyIsWhole) {
  auto policy = ParsePolicy(BoxPolicyText());
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_GT(policy->rules.size(), 30U);
}

}  // namespace
}  // namespace viv::runtime
