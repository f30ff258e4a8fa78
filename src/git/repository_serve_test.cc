// Git's HTTP protocol without a network; tests/e2e/recoup/git.test.js speaks it with git itself.

#include "git/git_test_support.h"

namespace viv::git {
namespace {

class RepositoryServeTest : public RepositoryTest {
 protected:
  RepositoryServeTest() {
    Status made = RunGitTask(repositories_->Make("default"));
    EXPECT_TRUE(made) << made.error().message;
  }

  void CommitOne() {
    std::vector<Repositories::NewFile> files = {{"a", "content"}};
    auto made = RunGitTask(repositories_->Commit("default", std::move(files), "first"));
    ASSERT_TRUE(made) << made.error().message;
  }

  Served Advertise(const std::string& service, const std::string& protocol = "") {
    http::Request request;
    request.method = "GET";
    request.query = "service=" + service;
    if (!protocol.empty()) request.headers.Add("Git-Protocol", protocol);
    return Serve("default", "info/refs", request);
  }

  Served Post(const std::string& service, PieceReader& body) {
    http::Request request;
    request.method = "POST";
    request.headers.Add("Content-Type", "application/x-" + service + "-request");
    request.body_stream = &body;
    return Serve("default", service, request);
  }
};

TEST_F(RepositoryServeTest, TellsWhatThereIs) {
  CommitOne();
  Served fetch = Advertise("git-upload-pack");
  EXPECT_EQ(fetch.status, 200);
  EXPECT_EQ(fetch.type, "application/x-git-upload-pack-advertisement");
  EXPECT_TRUE(fetch.body.starts_with("001e# service=git-upload-pack\n0000")) << fetch.body;
  EXPECT_NE(fetch.body.find("refs/heads/main"), std::string::npos);
  EXPECT_FALSE(fetch.aborted);
  Served push = Advertise("git-receive-pack");
  EXPECT_EQ(push.status, 200);
  EXPECT_TRUE(push.body.starts_with("001f# service=git-receive-pack\n0000")) << push.body;
}

TEST_F(RepositoryServeTest, SpeaksTheSecondVersionWhenAsked) {
  Served fetch = Advertise("git-upload-pack", "version=2");
  EXPECT_EQ(fetch.status, 200);
  EXPECT_TRUE(fetch.body.starts_with("000eversion 2\n")) << fetch.body;
}

TEST_F(RepositoryServeTest, ListsRefsOverTheSecondVersion) {
  CommitOne();
  PieceReader body;
  body.pieces = {"0014command=ls-refs\n", "0000"};
  http::Request request;
  request.method = "POST";
  request.headers.Add("Content-Type", "application/x-git-upload-pack-request");
  request.headers.Add("Git-Protocol", "version=2");
  request.body_stream = &body;
  Served served = Serve("default", "git-upload-pack", request);
  EXPECT_EQ(served.status, 200);
  EXPECT_NE(served.body.find("refs/heads/main"), std::string::npos) << served.body;
}

TEST_F(RepositoryServeTest, AnAbsentRepositoryIsNotFound) {
  http::Request request;
  request.method = "GET";
  request.query = "service=git-upload-pack";
  EXPECT_EQ(Serve("nobody", "info/refs", request).status, 404);
  EXPECT_EQ(Serve("../kept/default", "info/refs", request).status, 404);
}

TEST_F(RepositoryServeTest, NonsenseIsAnsweredAndChangesNothing) {
  CommitOne();
  PieceReader body;
  body.pieces = {"this is no git at all"};
  Served served = Post("git-receive-pack", body);
  EXPECT_TRUE(served.status == 500 || served.status == 200) << served.status;
  EXPECT_EQ(RunGitTask(repositories_->Tree("default"))->size(), 1U);
}

TEST_F(RepositoryServeTest, AFullRepositoryAnnouncesNoPushAndSaysWhy) {
  CommitOne();
  repositories_->SetQuota([](std::string_view, std::int64_t) { return std::int64_t{0}; });
  Served push = Advertise("git-receive-pack");
  EXPECT_EQ(push.status, 413);
  EXPECT_NE(push.body.find("repository storage limit of this account"), std::string::npos);
  EXPECT_EQ(Advertise("git-upload-pack").status, 200) << "it can be read";
  PieceReader body;
  EXPECT_EQ(Post("git-receive-pack", body).status, 413);
}

TEST_F(RepositoryServeTest, AnEmptyRequestHasAnEmptyResponse) {
  PieceReader body;
  body.pieces = {"0000"};
  Served served = Post("git-upload-pack", body);
  EXPECT_EQ(served.status, 200);
  EXPECT_EQ(served.body, "");
}

TEST_F(RepositoryServeTest, AClientThatGoesAwayEndsGit) {
  PieceReader body;
  body.pieces = {"00"};
  body.broken = true;
  Served served = Post("git-receive-pack", body);
  EXPECT_EQ(served.status, 503);
}

TEST_F(RepositoryServeTest, BrokenGzipIsABadRequest) {
  PieceReader body;
  body.pieces = {"no gzip"};
  http::Request request;
  request.method = "POST";
  request.headers.Add("Content-Type", "application/x-git-upload-pack-request");
  request.headers.Add("Content-Encoding", "gzip");
  request.body_stream = &body;
  EXPECT_EQ(Serve("default", "git-upload-pack", request).status, 400);
}

}  // namespace
}  // namespace viv::git
