#include "dialects/recoup/git_routes.h"

#include "base/base64.h"
#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

class GitRoutesTest : public RecoupTest {
 protected:
  http::Response Ask(const std::string& target, HeaderList headers) {
    http::Request request;
    request.method = "GET";
    request.target = target;
    std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = target.substr(mark + 1);
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    http::Handler handler =
        http::Dispatch(routes_, [](int status, std::string message, const http::Request&) {
          return http::Text(status, std::move(message));
        });
    return RunTask(handler(request));
  }
  int StatusAs(const std::string& key, const std::string& target) {
    return Ask(target, {{"X-API-Key", key}}).status;
  }
  static std::pair<std::string, std::string> Basic(const std::string& text) {
    return {"Authorization", "Basic " + EncodeBase64(text)};
  }
  static std::string Refs(const std::string& name) {
    return "/git/" + name + "/info/refs?service=git-upload-pack";
  }

  const std::string mine_ = std::string(kMine) + ".git";
  http::Router routes_ = GitRoutes(repositories_, accounts_, Lookup);
};

TEST_F(GitRoutesTest, TheKeyIsThePasswordOrComesAsElsewhere) {
  for (const auto& header : {Basic("anyone:key"), Basic("key:"), Basic(":key"),
                             std::pair<std::string, std::string>("Authorization", "Bearer key"),
                             std::pair<std::string, std::string>("X-API-Key", "key")})
    EXPECT_EQ(Ask(Refs(mine_), {header}).status, 200) << header.second;
}

TEST_F(GitRoutesTest, WithoutAGoodKeyOneIsAskedFor) {
  std::vector<HeaderList> without = {{},
                                     {Basic("anyone:wrong")},
                                     {Basic("key")},
                                     {Basic(":")},
                                     {{"Authorization", "Basic ???"}},
                                     {{"Authorization", "Basic"}},
                                     {{"X-API-Key", "wrong"}}};
  for (const HeaderList& headers : without) {
    http::Response response = Ask(Refs(mine_), headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_TRUE(response.headers.Get("www-authenticate").starts_with("Basic realm="));
  }
  EXPECT_FALSE(repositories_.Has(kMine));
}

TEST_F(GitRoutesTest, AColleagueMayAStrangerFindsNothing) {
  EXPECT_EQ(StatusAs("stranger", Refs(mine_)), 404);
  EXPECT_FALSE(repositories_.Has(kMine)) << "asking made no repository";
  EXPECT_EQ(StatusAs("colleague", Refs(mine_)), 200);
  EXPECT_TRUE(repositories_.Has(kMine));
  EXPECT_EQ(StatusAs("stranger", Refs(mine_)), 404);
}

TEST_F(GitRoutesTest, AnAccountIsFoundByItsNameToo) {
  EXPECT_EQ(StatusAs("stranger", Refs("mine.git")), 404);
  EXPECT_FALSE(repositories_.Has(kMine));
  EXPECT_EQ(StatusAs("key", Refs("mine.git")), 200);
  EXPECT_TRUE(repositories_.Has(kMine)) << "the same repository as by its id";
  EXPECT_EQ(StatusAs("key", Refs("min.git")), 404);
}

TEST_F(GitRoutesTest, NamesThatAreNoRepositoryAreNotFound) {
  for (const std::string& name :
       {std::string(kMine), std::string("x.git"), std::string("%2e%2e.git"), std::string(".git"),
        "..%2f" + mine_, mine_ + "%00.git",
        std::string("99999999-9999-4999-8999-999999999999.git")})
    EXPECT_EQ(StatusAs("key", Refs(name)), 404) << name;
}

TEST_F(GitRoutesTest, OnlyTheSmartProtocolIsSpoken) {
  ASSERT_EQ(StatusAs("key", Refs(mine_)), 200);
  for (const char* rest : {"", "HEAD", "config", "info/refs", "info/refs?service=x",
                           "objects/info/packs", "git-upload-pack", "..%2fconfig"})
    EXPECT_EQ(StatusAs("key", "/git/" + mine_ + "/" + rest), 404) << rest;
}

TEST_F(GitRoutesTest, OnlyTheTwoServicesHaveStreamedBodies) {
  auto streamed = [](std::string method, std::string path) {
    http::Request request;
    request.method = std::move(method);
    request.path = std::move(path);
    return IsGitStreamed(request);
  };
  EXPECT_TRUE(streamed("POST", "/git/x.git/git-receive-pack"));
  EXPECT_TRUE(streamed("POST", "/git/x.git/git-upload-pack"));
  EXPECT_FALSE(streamed("GET", "/git/x.git/git-upload-pack"));
  EXPECT_FALSE(streamed("POST", "/git/x.git/info/refs"));
  EXPECT_FALSE(streamed("POST", "/api/x/git-upload-pack"));
}

}  // namespace
}  // namespace viv::recoup
