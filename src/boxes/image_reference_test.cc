#include "boxes/image_reference.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

std::string InFull(std::string_view text) {
  auto reference = ParseImageReference(text);
  return reference ? reference->Text() : "refused";
}

TEST(ImageReferenceTest, ShortNamesAreDockers) {
  EXPECT_EQ(InFull("debian"), "docker.io/library/debian:latest");
  EXPECT_EQ(InFull("debian:12-slim"), "docker.io/library/debian:12-slim");
  EXPECT_EQ(InFull("team/tool"), "docker.io/team/tool:latest");
  EXPECT_EQ(InFull("docker.io/library/debian"), "docker.io/library/debian:latest");
}

TEST(ImageReferenceTest, ARegistryIsAHostWithADotOrAPort) {
  EXPECT_EQ(InFull("ghcr.io/a/b:c"), "ghcr.io/a/b:c");
  EXPECT_EQ(InFull("reg:5000/image"), "reg:5000/image:latest");
  EXPECT_EQ(InFull("localhost/image"), "localhost/image:latest");
  EXPECT_EQ(InFull("10.1.2.3:5000/a/b/c:1_2"), "10.1.2.3:5000/a/b/c:1_2");
}

TEST(ImageReferenceTest, ADigestCountsMoreThanATag) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(InFull("ghcr.io/a/b:c@" + digest), "ghcr.io/a/b@" + digest);
  EXPECT_EQ(InFull("debian@" + digest), "docker.io/library/debian@" + digest);
}

TEST(ImageReferenceTest, WhatCouldBeMoreThanANameIsRefused) {
  for (std::string_view bad : {"",
                               "-",
                               "--authfile=/etc/shadow",
                               "-debian",
                               "docker://debian",
                               "oci:/etc",
                               "dir:/etc:x/y",
                               "a b",
                               "a\nb",
                               "a;b",
                               "$(x)",
                               "a/../b",
                               "../a",
                               "a//b",
                               "/a",
                               "a/",
                               "Debian",
                               "a:b:c",
                               "a:",
                               "a:-x",
                               "a@",
                               "a@sha256:12",
                               "a@md5:00",
                               "reg:0/a",
                               "reg:65536/a",
                               "reg:x/a",
                               "re_g.io/a",
                               "-reg.io/a",
                               "reg-.io/a",
                               "reg..io/a",
                               "u@reg.io/a",
                               "[::1]:5000/a",
                               "a-/b",
                               "ghcr.io/A"}) {
    EXPECT_EQ(InFull(bad), "refused") << bad;
  }
  EXPECT_EQ(InFull(std::string(513, 'a')), "refused");
  EXPECT_EQ(InFull(std::string("a\0b", 3)), "refused");
  EXPECT_EQ(InFull("a:" + std::string(129, 'b')), "refused");
}

TEST(ImageReferenceTest, TheRefusalSaysWhatWouldDo) {
  const Error error = ParseImageReference("-x").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error.message.find("'-x' names no image"), std::string::npos);
  EXPECT_NE(error.message.find("registry.example.com/team/image:tag"), std::string::npos);
}

}  // namespace
}  // namespace viv::boxes
