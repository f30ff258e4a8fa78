#include "agent/process/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace viv::agent {
namespace {

const User kSomebody{.name = "me", .uid = 7, .gid = 7, .home = "/h", .shell = "", .groups = {}};

TEST(EnvironmentTest, PutsTheRequestOverTheBoxOverTheUser) {
  Context context;
  context.authority_file = "/nowhere";
  context.variables = {{"A", "box"}, {"B", "box"}, {"HOME", "/elsewhere"}};
  auto variables = EnvironmentFor(context, kSomebody, {{"B", "request"}});
  ASSERT_TRUE(variables.has_value());
  variables->erase("PATH");
  EXPECT_EQ(*variables, (Variables{{"A", "box"},
                                   {"B", "request"},
                                   {"HOME", "/elsewhere"},
                                   {"LOGNAME", "me"},
                                   {"USER", "me"}}));
  EXPECT_EQ(AsAssignments(*variables).front(), "A=box");
}

TEST(EnvironmentTest, TellsProgramsWhomTheBoxTrusts) {
  char file[] = "/tmp/viv-authority-XXXXXX";
  ::close(::mkstemp(file));
  Context context;
  context.authority_file = file;
  context.variables = {{"CURL_CA_BUNDLE", "/box.pem"}, {"SSL_CERT_FILE", "/box.pem"}};
  auto variables = EnvironmentFor(context, kSomebody, {{"SSL_CERT_FILE", ""}});
  ASSERT_TRUE(variables.has_value());
  for (const char* name : {"AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "REQUESTS_CA_BUNDLE"})
    EXPECT_EQ((*variables)[name], "/etc/ssl/certs/ca-certificates.crt") << name;
  EXPECT_EQ((*variables)["NODE_EXTRA_CA_CERTS"], file);
  EXPECT_EQ((*variables)["DENO_CERT"], file);
  EXPECT_EQ((*variables)["CURL_CA_BUNDLE"], "/box.pem");
  EXPECT_EQ((*variables)["SSL_CERT_FILE"], "");
  ::unlink(file);
  variables = EnvironmentFor(context, kSomebody, {});
  EXPECT_FALSE(variables->contains("NODE_EXTRA_CA_CERTS"));
  EXPECT_FALSE(variables->contains("PIP_CERT"));
}

TEST(EnvironmentTest, AlwaysHasASearchPath) {
  std::string before = ::getenv("PATH");
  ::unsetenv("PATH");
  EXPECT_NE(EnvironmentFor({}, kSomebody, {})->at("PATH").find("/usr/bin"), std::string::npos);
  ::setenv("PATH", before.c_str(), 1);
}

TEST(EnvironmentTest, RefusesWhatNoVariableCanBe) {
  for (const auto& [name, value] : Variables{
           {"", "x"}, {"A=B", "x"}, {std::string("A\0", 2), "x"}, {"A", std::string("x\0", 2)}}) {
    EXPECT_FALSE(EnvironmentFor({}, kSomebody, {{name, value}}).has_value()) << name;
  }
  EXPECT_TRUE(EnvironmentFor({}, kSomebody, {{"A", ""}}).has_value());
}

TEST(EnvironmentTest, FindsProgramsAlongThePath) {
  char pattern[] = "/tmp/viv-path-XXXXXX";
  std::string folder = ::mkdtemp(pattern);
  std::filesystem::create_directory(folder + "/tool");  // no program
  std::filesystem::create_directory(folder + "/b");
  std::ofstream(folder + "/b/tool") << "x";
  std::ofstream(folder + "/data") << "x";
  ::chmod((folder + "/b/tool").c_str(), 0755);
  std::string path = folder + "::relative:" + folder + "/b";
  EXPECT_EQ(*FindProgram("tool", path), folder + "/b/tool");
  EXPECT_EQ(*FindProgram("./tool", path), "./tool");
  EXPECT_EQ(FindProgram("data", path).error().message,
            "exec: \"data\": executable file not found in $PATH");
  EXPECT_FALSE(FindProgram("", path).has_value());
  EXPECT_FALSE(FindProgram("tool", "").has_value());
  EXPECT_FALSE(FindProgram("b", folder).has_value());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace viv::agent
