#include "base/timestamp.h"
#include "dialects/langsmith/service_test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServicesTest : public ServiceTest {
 protected:
  const json::array& Items(ParsedResponse& response) {
    return response.body.at("items").as_array();
  }
  ParsedResponse ListShared() { return Call("GET", "/boxes/one/service-urls"); }
};

TEST_F(ServicesTest, ATokenComesWithItsAddresses) {
  std::string id = PutNamed("one");
  ParsedResponse response = Share(R"({"port":8000})");
  ASSERT_EQ(response.status, 200);
  std::string url = "http://box.test:8080" + PathOf(id, 8000) + "/";
  std::string token(response.Text("token"));
  EXPECT_EQ(response.Text("service_url"), url);
  EXPECT_EQ(response.Text("browser_url"), url + "_svc/auth?token=" + token);
  auto ends = ParseTime(response.Text("expires_at"));
  ASSERT_TRUE(ends);
  EXPECT_GE(*ends, boxes_.now_us + 600'000'000);
  EXPECT_LE(*ends, boxes_.now_us + 601'000'000);
  EXPECT_EQ(response.body.as_object().count("access"), 0u);
}

TEST_F(ServicesTest, ADomainGivesTheServiceANameOfItsOwn) {
  std::string id = PutNamed("one");
  context_.domain = "sbx.example:8443";
  EXPECT_EQ(Share(R"({"port":80})").Text("service_url"),
            "http://" + boxes::UuidOfBox(id) + "--80.sbx.example:8443/");
  context_.public_url = "https://api.example";
  EXPECT_THAT(std::string(Share(R"({"port":80})").Text("service_url")), StartsWith("https://"));
}

TEST_F(ServicesTest, WorksUnderBothPrefixesAndByUuid) {
  std::string id = PutNamed("one");
  for (std::string prefix : {"/v2/sandboxes", "/api/v2/sandboxes"}) {
    std::string path = prefix + "/boxes/" + boxes::UuidOfBox(id) + "/service-url";
    EXPECT_EQ(CallPath("POST", path, R"({"port":80})").status, 200);
  }
}

TEST_F(ServicesTest, RefusesWhatIsWrongWithItsPlace) {
  PutNamed("one");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"{}", "port"},
      {R"({"port":0})", "port"},
      {R"({"port":65536})", "port"},
      {R"({"port":-1})", "port"},
      {R"({"port":"80"})", "port"},
      {R"({"port":80.5})", "port"},
      {R"({"port":99999999999999999999})", "port"},
      {R"({"port":80,"expires_in_seconds":0})", "expires_in_seconds"},
      {R"({"port":80,"expires_in_seconds":86401})", "expires_in_seconds"},
      {R"({"port":80,"access":"everybody"})", "access"},
      {R"({"port":80,"access":7})", "access"},
      {R"({"port":80,"embed_origins":["*"]})", "embed_origins"},
      {R"({"port":80,"access":"workspace","embed_origins":["https://a.example/page"]})",
       "embed_origins"},
      {R"({"port":80,"embed_origins":["https://a","https://b","https://c","https://d","https://e",
           "https://f"]})",
       "embed_origins"},
      {R"({"port":80,"embed_origins":"https://a.example"})", "embed_origins"},
      {R"({"port":80,"access":"restricted","expires_in_seconds":60})", "expires_in_seconds"}};
  for (const auto& [body, field] : bad) {
    ParsedResponse response = Share(body);
    EXPECT_EQ(response.status, 422) << body;
    EXPECT_EQ(response.field(), field) << body;
  }
  EXPECT_EQ(Share("").status, 400);
  EXPECT_EQ(Share("[]").status, 400);
  EXPECT_TRUE(services_->All().empty());
}

TEST_F(ServicesTest, AnotherAccountsBoxIsNone) {
  PutNamed("one");
  HeaderList other = {{"X-Api-Key", "other"}};
  EXPECT_EQ(Call("POST", "/boxes/one/service-url", R"({"port":80})", other).status, 404);
  EXPECT_EQ(Call("GET", "/boxes/one/service-urls", "", other).status, 404);
  EXPECT_EQ(Call("DELETE", "/boxes/one/service-urls", "", other).status, 404);
  EXPECT_EQ(CallOpenly("POST", "/v2/sandboxes/boxes/one/service-url").status, 401);
}

TEST_F(ServicesTest, LoginHasNoTokenAndKeepsTokensAway) {
  std::string id = PutNamed("one");
  ParsedResponse login = Share(R"({"port":80,"access":"workspace"})");
  EXPECT_EQ(login.status, 200);
  EXPECT_EQ(login.Text("access"), "workspace");
  EXPECT_EQ(login.Text("browser_url"), "http://box.test:8080" + PathOf(id, 80) + "/");
  EXPECT_EQ(login.body.as_object().count("token"), 0u);
  EXPECT_EQ(login.body.as_object().count("expires_at"), 0u);
  ParsedResponse token = Share(R"({"port":80})");
  EXPECT_EQ(token.status, 409);
  EXPECT_EQ(token.type(), "Conflict");
  EXPECT_EQ(Share(R"({"port":81})").status, 200) << "another port is another matter";
  EXPECT_EQ(Share(R"({"port":80,"access":"restricted"})").Text("access"), "restricted");
  ParsedResponse off = Share(R"({"port":80,"access":"off","expires_in_seconds":60})");
  EXPECT_EQ(off.status, 200);
  EXPECT_NE(off.Text("token"), "");
  EXPECT_LE(*ParseTime(off.Text("expires_at")), boxes_.now_us + 61'000'000);
  EXPECT_EQ(off.body.as_object().count("access"), 0u);
  ParsedResponse listed = ListShared();
  EXPECT_EQ(FindString(Items(listed)[0], "access"), "token");
  EXPECT_EQ(Share(R"({"port":80})").status, 200);
  EXPECT_EQ(Share(R"({"port":80,"access":"off"})").status, 200) << "nothing to revoke is fine";
  EXPECT_EQ(Share(R"({"port":80,"embed_origins":[]})").status, 200);
}

TEST_F(ServicesTest, ListsWhatIsSharedByPort) {
  PutNamed("one");
  Share(R"({"port":9000,"access":"restricted"})");
  Share(R"({"port":80,"expires_in_seconds":60})");
  ParsedResponse response = ListShared();
  ASSERT_EQ(response.status, 200);
  EXPECT_TRUE(response.body.at("next_cursor").is_null());
  ASSERT_EQ(Items(response).size(), 2u);
  EXPECT_EQ(Items(response)[0].at("port").as_int64(), 80);
  EXPECT_EQ(FindString(Items(response)[0], "access"), "token");
  EXPECT_NE(FindString(Items(response)[0], "expires_at"), "");
  EXPECT_EQ(FindString(Items(response)[0], "created_at"), TimeText(boxes_.now_us / 1000 * 1000));
  EXPECT_EQ(FindString(Items(response)[1], "access"), "restricted");
  EXPECT_EQ(Items(response)[1].as_object().count("expires_at"), 0u);
}

TEST_F(ServicesTest, ATokensTimeNeverShortensTheList) {
  PutNamed("one");
  Share(R"({"port":80,"expires_in_seconds":600})");
  ParsedResponse before = ListShared();
  Share(R"({"port":80,"expires_in_seconds":10})");
  ParsedResponse after = ListShared();
  EXPECT_EQ(FindString(Items(before)[0], "expires_at"), FindString(Items(after)[0], "expires_at"));
}

TEST_F(ServicesTest, WhatIsOverIsLeftOutAndRemoved) {
  PutNamed("one");
  Share(R"({"port":80,"expires_in_seconds":60})");
  Share(R"({"port":81,"access":"restricted"})");
  boxes_.now_us += 62'000'000;
  ParsedResponse response = ListShared();
  ASSERT_EQ(Items(response).size(), 1u);
  EXPECT_EQ(Items(response)[0].at("port").as_int64(), 81);
  EXPECT_EQ(services_->All().size(), 1u);
}

TEST_F(ServicesTest, GrantsGoWithTheirBox) {
  std::string id = PutNamed("one");
  Share(R"({"port":80,"access":"restricted"})");
  boxes_.boxes.erase(id);
  PutNamed("one");  // the same name is another box
  ParsedResponse response = ListShared();
  EXPECT_TRUE(Items(response).empty());
  EXPECT_TRUE(services_->All().empty());
  EXPECT_EQ(Share(R"({"port":80})").status, 200) << "no conflict with what is gone";
}

TEST_F(ServicesTest, RemovesOnePortOrAll) {
  PutNamed("one");
  for (const char* body :
       {R"({"port":80})", R"({"port":81})", R"({"port":82,"access":"workspace"})"})
    Share(body);
  EXPECT_EQ(Call("DELETE", "/boxes/one/service-urls?port=81").status, 204);
  EXPECT_EQ(services_->All().size(), 2u);
  EXPECT_EQ(Call("DELETE", "/boxes/one/service-urls?port=81").status, 204);
  for (const char* port : {"", "0", "65536", "x", "-1", "99999999999999999999"})
    EXPECT_EQ(Call("DELETE", std::string("/boxes/one/service-urls?port=") + port).status, 422);
  EXPECT_EQ(services_->All().size(), 2u);
  EXPECT_EQ(Call("DELETE", "/boxes/one/service-urls").status, 204);
  EXPECT_TRUE(services_->All().empty());
}

TEST_F(ServicesTest, ABoxSharesOnlySoManyPorts) {
  PutNamed("one");
  for (int port = 1; port <= 256; ++port) ASSERT_NE(TokenFor(port), "");
  ParsedResponse more = Share(R"({"port":257})");
  EXPECT_EQ(more.status, 429);
  EXPECT_THAT(more.message(), HasSubstr("256"));
  EXPECT_NE(TokenFor(1), "") << "a new token for one that is shared is fine";
}

TEST_F(ServicesTest, AStoreThatFailsIsTold) {
  PutNamed("one");
  store_.failure = Error{ErrorCode::kUnavailable, "the disk is full"};
  EXPECT_EQ(Share(R"({"port":80})").status, 503);
  EXPECT_TRUE(services_->All().empty());
}

}  // namespace
}  // namespace viv::langsmith
