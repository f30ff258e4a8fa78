#include "templates/base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "templates/base_parts.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Made once: no test changes it.
class BaseTemplateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (geteuid() != 0) return;
    place_ = new ScratchPlace;
    auto made = MakeBase(place_->path, "abcdefghij0123456789");
    ASSERT_TRUE(made) << made.error().message;
    base_ = new BaseOverlays(std::move(*made));
  }
  static void TearDownTestSuite() {
    delete base_;
    delete place_;
    base_ = nullptr;
    place_ = nullptr;
  }
  void SetUp() override {
    if (base_ == nullptr) GTEST_SKIP() << "files of several owners need root";
  }
  static std::string Run(uid_t uid, const std::string& command) {
    return RunInOverlays(base_->overlays, uid, command);
  }

  static ScratchPlace* place_;
  static BaseOverlays* base_;
};
ScratchPlace* BaseTemplateTest::place_ = nullptr;
BaseOverlays* BaseTemplateTest::base_ = nullptr;

TEST_F(BaseTemplateTest, HasAUserWithAHome) {
  EXPECT_EQ(Run(1000, "id -un; id -u; cd; pwd; touch here; stat -c %U here"),
            "user\n1000\n/home/user\nuser\n");
  EXPECT_EQ(Run(0, "stat -c '%U %G %a' /home/user /root /tmp /code /etc/sudoers /etc/shadow"),
            "user user 755\nroot root 700\nroot root 1777\nroot root 777\nroot root 440\nroot "
            "shadow 640\n");
}

TEST_F(BaseTemplateTest, LetsTheUserBecomeRootWithoutAPassword) {
  if (access("/usr/bin/sudo", X_OK) != 0) GTEST_SKIP() << "this machine has no sudo";
  EXPECT_EQ(Run(1000, "sudo -n id -u"), "0\n");
  EXPECT_EQ(Run(0, "su user -c 'id -un'"), "user\n");
  EXPECT_EQ(Run(0, "sudo -u user id -un"), "user\n");
}

TEST_F(BaseTemplateTest, HasThePythonThatPeopleType) {
  EXPECT_EQ(Run(1000, "python -c 'print(6 * 7)'; python3 -c 'import ssl, json, sqlite3; print(1)'"),
            "42\n1\n");
}

TEST_F(BaseTemplateTest, LetsTheUserInstallIntoUsrLocal) {
  EXPECT_EQ(
      Run(1000,
          "echo 'echo hello' > /usr/local/bin/hello && chmod +x /usr/local/bin/hello && hello"),
      "hello\n");
  EXPECT_EQ(Run(0, "ls /usr/lib/python3*/EXTERNALLY-MANAGED 2>/dev/null"), "status 2");
}

TEST_F(BaseTemplateTest, MakesAllOfUsrWritableForRootAndNoneForTheHost) {
  EXPECT_EQ(Run(0, "echo x > /usr/bin/new-here && rm /usr/bin/env && ls /usr/bin/new-here"),
            "/usr/bin/new-here\n");
  EXPECT_NE(access("/usr/bin/new-here", F_OK), 0);
  EXPECT_EQ(access("/usr/bin/env", X_OK), 0);
}

TEST_F(BaseTemplateTest, ShowsNothingOfTheHostBeyondItsPrograms) {
  EXPECT_EQ(Run(0, "ls -A /opt /home /root /srv /mnt /var/log | grep -v '^$'"),
            "/home:\nuser\n/mnt:\n/opt:\n/root:\n.bashrc\n.profile\n/srv:\n/var/log:\napt\n");
  EXPECT_EQ(Run(0, "cat /etc/hostname; ls /etc/ssh /etc/ssl/private /etc/gitconfig 2>/dev/null"),
            "e2b.local\nstatus 2");
  EXPECT_EQ(Run(0, "cut -d: -f2 /etc/shadow | sort -u"), "*\n");
  EXPECT_EQ(Run(0, "ls -A /usr/etc /usr/local/etc"), "/usr/etc:\nnpmrc\n\n/usr/local/etc:\n");
}

TEST_F(BaseTemplateTest, ResolvesItsOwnNameAndKnowsAuthorities) {
  EXPECT_THAT(Run(1000, "getent hosts e2b.local"), HasSubstr("127.0.1.1"));
  EXPECT_THAT(Run(1000, "cat /etc/resolv.conf"), HasSubstr("nameserver 10.255.0.53"));
  EXPECT_THAT(Run(1000, "grep -c BEGIN /etc/ssl/certs/ca-certificates.crt"),
              Not(HasSubstr("status")));
  EXPECT_THAT(Run(1000, "date +%Z; . /etc/os-release; echo $ID"), HasSubstr("UTC\n"));
  EXPECT_EQ(Run(1000, "cat /run/e2b/.E2B_SANDBOX; head -1 /.e2b"),
            "true\nTEMPLATE_ID=abcdefghij0123456789\n");
}

TEST_F(BaseTemplateTest, KnowsItsPackages) {
  EXPECT_EQ(Run(0, "dpkg-query -W -f '${Status}\\n' bash"), "install ok installed\n");
  EXPECT_EQ(Run(0, "dpkg --audit | head -3; apt-mark showhold"), "");
}

TEST_F(BaseTemplateTest, NamesTheProgramsThatAreMissing) {
  for (const std::string& name : base_->missing)
    EXPECT_THAT(Run(0, "command -v " + name), HasSubstr("status")) << name;
  EXPECT_THAT(base_->missing, Not(::testing::Contains("bash")));
}

TEST(HostFingerprintTest, StaysTheSameWhileTheHostDoes) {
  EXPECT_EQ(HostFingerprint(), HostFingerprint());
  EXPECT_EQ(HostFingerprint().size(), 64U);
}

}  // namespace
}  // namespace viv::templates
