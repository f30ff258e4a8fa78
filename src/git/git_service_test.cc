#include "git/git_service.h"

#include <gtest/gtest.h>

namespace viv::git {
namespace {

http::Request GitAsk(std::string method, std::string query, std::string type) {
  http::Request request;
  request.method = std::move(method);
  request.query = std::move(query);
  if (!type.empty()) request.headers.Add("Content-Type", type);
  return request;
}

TEST(GitServiceTest, TellsTheFourRequestsOfTheSmartProtocol) {
  auto fetch = GitServiceOf(GitAsk("GET", "service=git-upload-pack", ""), "info/refs");
  ASSERT_TRUE(fetch);
  EXPECT_EQ(fetch->name, "upload-pack");
  EXPECT_TRUE(fetch->advertises);
  auto push = GitServiceOf(GitAsk("GET", "service=git-receive-pack", ""), "info/refs");
  ASSERT_TRUE(push);
  EXPECT_TRUE(push->receives());
  auto pack = GitServiceOf(GitAsk("POST", "", "application/x-git-receive-pack-request"),
                           "git-receive-pack");
  ASSERT_TRUE(pack);
  EXPECT_TRUE(pack->receives());
  EXPECT_FALSE(pack->advertises);
  EXPECT_EQ(GitResponse(*pack).headers.Get("content-type"),
            "application/x-git-receive-pack-result");
  EXPECT_EQ(GitResponse(*fetch).headers.Get("content-type"),
            "application/x-git-upload-pack-advertisement");
}

TEST(GitServiceTest, AnythingElseIsNotThere) {
  auto code = [](std::string method, std::string query, std::string_view rest) {
    auto service = GitServiceOf(GitAsk(std::move(method), std::move(query), ""), rest);
    return service ? ErrorCode::kInternal : service.error().code;
  };
  for (std::string_view rest : {"", "HEAD", "info/refs", "objects/info/packs", "config",
                                "git-upload-pack", "../x", "info/refs/"})
    EXPECT_EQ(code("GET", "", rest), ErrorCode::kNotFound) << rest;
  EXPECT_EQ(code("GET", "service=git-upload-archive", "info/refs"), ErrorCode::kNotFound);
  EXPECT_EQ(code("GET", "service=upload-pack", "info/refs"), ErrorCode::kNotFound);
  EXPECT_EQ(code("POST", "service=git-upload-pack", "info/refs"), ErrorCode::kNotFound);
  EXPECT_EQ(code("POST", "", "git-upload-archive"), ErrorCode::kNotFound);
  EXPECT_EQ(code("PUT", "", "git-upload-pack"), ErrorCode::kNotFound);
}

TEST(GitServiceTest, ABodyOfAnotherTypeIsRefused) {
  for (const char* type : {"", "text/plain", "application/x-git-upload-pack-request"}) {
    auto service = GitServiceOf(GitAsk("POST", "", type), "git-receive-pack");
    ASSERT_FALSE(service);
    EXPECT_EQ(service.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(GitServiceTest, TheProtocolIsPassedOnOnlyWhenItIsPlain) {
  auto protocol = [](std::string value) {
    http::Request request = GitAsk("GET", "service=git-upload-pack", "");
    request.headers.Add("Git-Protocol", value);
    return GitServiceOf(request, "info/refs")->protocol;
  };
  EXPECT_EQ(protocol("version=2"), "version=2");
  EXPECT_EQ(protocol("version=2\nLD_PRELOAD=x"), "");
  EXPECT_EQ(protocol("$(id)"), "");
  EXPECT_EQ(protocol(std::string(65, 'a')), "");
}

TEST(GitServiceTest, TheSecondVersionHasNoPrologue) {
  GitService service{"upload-pack", true, ""};
  EXPECT_EQ(service.Prologue(), "001e# service=git-upload-pack\n0000");
  service.protocol = "version=2";
  EXPECT_EQ(service.Prologue(), "");
  service.name = "receive-pack";
  EXPECT_EQ(service.Prologue(), "001f# service=git-receive-pack\n0000");
  service.advertises = false;
  EXPECT_EQ(service.Prologue(), "");
}

TEST(GitServiceTest, AnInternalReasonIsNotShown) {
  EXPECT_EQ(GitFailure({ErrorCode::kInternal, "/secret/path"}).body.find("secret"),
            std::string::npos);
  EXPECT_EQ(GitFailure({ErrorCode::kLimitExceeded, "too large"}).status, 413);
  EXPECT_EQ(GitFailure({ErrorCode::kNotFound, "x"}).status, 404);
}

}  // namespace
}  // namespace viv::git
