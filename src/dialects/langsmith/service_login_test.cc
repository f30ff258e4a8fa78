#include "base/base64.h"
#include "dialects/langsmith/service_test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ServiceLoginTest : public ServiceTest {
 protected:
  ServiceLoginTest() : id_(PutNamed("one")), path_(PathOf(id_, 8000) + "/") {}

  void ShareBy(std::string access) {
    ASSERT_EQ(Share(R"({"port":8000,"access":")" + access + "\"}").status, 200);
  }
  int StatusWith(const std::string& key) {
    return CallService("GET", path_, {{"X-Api-Key", key}}).status;
  }
  static std::string Basic(const std::string& pair) { return "Basic " + EncodeBase64(pair); }

  const std::string id_;
  const std::string path_;
};

TEST_F(ServiceLoginTest, TheOwnersKeyOpensInEveryForm) {
  ShareBy("restricted");
  EXPECT_EQ(StatusWith("key"), 200);
  EXPECT_EQ(CallService("GET", path_, {{"Authorization", "Bearer key"}}).status, 200);
  EXPECT_EQ(CallService("GET", path_, {{"Authorization", Basic("anybody:key")}}).status, 200);
  ASSERT_EQ(relayed_.size(), 3u);
  for (const Relayed& sent : relayed_) {
    EXPECT_EQ(sent.headers.Get("x-langsmith-user-id"), keyed_accounts_.UuidOf("mine"));
    EXPECT_FALSE(sent.headers.Has("x-api-key"));
    EXPECT_FALSE(sent.headers.Has("authorization"));
  }
}

TEST_F(ServiceLoginTest, TheGuestIsToldTheUserByUsAlone) {
  ShareBy("restricted");
  CallService("GET", path_, {{"X-Api-Key", "key"}, {"X-Langsmith-User-Id", "root"}});
  int names = 0;
  for (const auto& [name, value] : relayed_.at(0).headers)
    names += EqualsIgnoreCase(name, "x-langsmith-user-id") ? 1 : 0;
  EXPECT_EQ(names, 1);
  EXPECT_EQ(relayed_.at(0).headers.Get("x-langsmith-user-id"), keyed_accounts_.UuidOf("mine"));
}

TEST_F(ServiceLoginTest, OthersAreAskedToSignIn) {
  ShareBy("restricted");
  for (HeaderList headers :
       {HeaderList{}, HeaderList{{"X-Api-Key", "wrong"}}, HeaderList{{"X-Api-Key", "other"}},
        HeaderList{{"Authorization", Basic("key")}}, HeaderList{{"Authorization", "Basic %%%"}},
        HeaderList{{"Authorization", Basic("key:")}}, HeaderList{{"Authorization", "Basic "}}}) {
    ParsedResponse response = CallService("GET", path_, headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_THAT(std::string(response.headers.Get("www-authenticate")), HasSubstr("Basic realm="));
  }
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(ServiceLoginTest, ColleaguesEnterAWorkspaceAndNotWhatIsRestricted) {
  ShareBy("restricted");
  EXPECT_EQ(StatusWith("colleague"), 401);
  ShareBy("workspace");
  EXPECT_EQ(StatusWith("colleague"), 200);
  EXPECT_EQ(relayed_.at(0).headers.Get("x-langsmith-user-id"), keyed_accounts_.UuidOf("near"));
  EXPECT_EQ(StatusWith("key"), 200);
  EXPECT_EQ(StatusWith("other"), 401);
}

TEST_F(ServiceLoginTest, OffShutsTheDoor) {
  ShareBy("workspace");
  ShareBy("off");
  ParsedResponse response = CallService("GET", path_, {{"X-Api-Key", "key"}});
  EXPECT_EQ(response.status, 401);
  EXPECT_FALSE(response.headers.Has("www-authenticate"));
}

TEST_F(ServiceLoginTest, OpensItsPortOnly) {
  ShareBy("restricted");
  EXPECT_EQ(CallService("GET", PathOf(id_, 8001) + "/", {{"X-Api-Key", "key"}}).status, 401);
}

TEST_F(ServiceLoginTest, AnotherOriginsPageCannotUseTheBrowsersPassword) {
  ShareBy("restricted");
  HeaderList headers = {{"Authorization", Basic("x:key")}, {"Origin", "https://evil.example"}};
  EXPECT_EQ(CallService("POST", path_, headers).status, 401);
}

TEST_F(ServiceLoginTest, ATokenThatWasMadeBeforeOpensNothing) {
  std::string token = TokenFor(8000);
  ASSERT_EQ(CallServiceWithToken(token, path_).status, 200);
  ShareBy("restricted");
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 401);
  EXPECT_EQ(CallService("GET", path_, {{"Cookie", "viv_service=" + token}}).status, 401);
  EXPECT_EQ(CallService("GET", path_ + "_svc/auth?token=" + token).status, 401);
  ShareBy("off");
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 401)
      << "a new sharing is another generation";
  EXPECT_EQ(CallServiceWithToken(TokenFor(8000), path_).status, 200);
  EXPECT_EQ(relayed_.size(), 2U);
}

TEST_F(ServiceLoginTest, ATokenEndsWithItsGrant) {
  std::string token = TokenFor(8000), other = TokenFor(8001), refreshed = TokenFor(8000);
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 200)
      << "a refresh leaves the earlier one alone";
  ASSERT_EQ(Call("DELETE", "/boxes/one/service-urls?port=8000").status, 204);
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 401);
  EXPECT_EQ(CallServiceWithToken(refreshed, path_).status, 401);
  EXPECT_EQ(CallServiceWithToken(other, PathOf(id_, 8001) + "/").status, 200);
  std::string again = TokenFor(8000);
  EXPECT_EQ(CallServiceWithToken(again, path_).status, 200);
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 401);
}

TEST_F(ServiceLoginTest, WhatAnEarlierServerSharedHoldsUntilItIsRevoked) {
  std::string token = TokenFor(8000);
  accounts::DocumentTable::EntryPtr entry = services_->All().at(0);
  json::object body = entry->body.as_object();
  body.erase("generation");
  ASSERT_TRUE(RunToEnd(services_->Put({entry->id, entry->account_id, std::move(body)})));
  EXPECT_EQ(CallServiceWithToken(token, path_).status, 401)
      << "it names a generation that is not this one";
  std::string without = TokenFor(8000);
  EXPECT_EQ(CallServiceWithToken(without, path_).status, 200);
  Call("DELETE", "/boxes/one/service-urls");
  TokenFor(8000);
  EXPECT_EQ(CallServiceWithToken(without, path_).status, 401);
}

}  // namespace
}  // namespace viv::langsmith
