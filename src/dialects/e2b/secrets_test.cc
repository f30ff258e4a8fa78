#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class E2bSecretsTest : public E2bTest {
 protected:
  ParsedResponse Make(const std::string& body) { return Call("POST", "/secrets", body); }
  static std::string MetadataBody(const json::object& metadata) {
    return WriteJson(json::object{{"name", "a"}, {"value", "v"}, {"metadata", metadata}});
  }
  const HeaderList theirs_ = {{"X-API-Key", "other"}};
};

TEST_F(E2bSecretsTest, ASecretIsMadeAndShownWithoutItsValue) {
  ParsedResponse made = Make(R"({"name":"Api-Key","value":"canary","metadata":{"team":"red"}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_TRUE(FindString(made.body, "secretID").starts_with("sec_"));
  EXPECT_EQ(FindString(made.body, "name"), "api-key");
  EXPECT_EQ(made.body.at("currentVersion").as_int64(), 1);
  EXPECT_EQ(WriteJson(made.body.at("metadata")), R"({"team":"red"})");
  EXPECT_THAT(std::string(FindString(made.body, "createdAt")), HasSubstr("T"));
  EXPECT_EQ(FindString(made.body, "createdAt"), FindString(made.body, "updatedAt"));
  for (const std::string& ref : {std::string("api-key"), std::string("API-KEY"),
                                 std::string(FindString(made.body, "secretID"))}) {
    ParsedResponse got = Call("GET", "/secrets/" + ref);
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.text, made.text);
    EXPECT_THAT(got.text, Not(HasSubstr("canary")));
  }
}

TEST_F(E2bSecretsTest, MetadataIsAlwaysThere) {
  EXPECT_EQ(WriteJson(Make(R"({"name":"a","value":"v"})").body.at("metadata")), "{}");
}

TEST_F(E2bSecretsTest, AnUpdateIsANewVersion) {
  ASSERT_EQ(Make(R"({"name":"a","value":"one","metadata":{"k":"v"}})").status, 201);
  ParsedResponse updated = Call("POST", "/secrets/A", R"({"value":"two"})");
  ASSERT_EQ(updated.status, 200) << updated.text;
  EXPECT_EQ(updated.body.at("currentVersion").as_int64(), 2);
  EXPECT_EQ(WriteJson(updated.body.at("metadata")), R"({"k":"v"})");
  EXPECT_NE(FindString(updated.body, "createdAt"), FindString(updated.body, "updatedAt"));
  ParsedResponse again = Call("POST", "/secrets/a", R"({"value":"three","metadata":{}})");
  EXPECT_EQ(WriteJson(again.body.at("metadata")), "{}");
  EXPECT_EQ(*secrets_.Reveal("mine", {gateway::SecretText::Kind::kBraceReferences, "{a}", ""}),
            "three");
}

TEST_F(E2bSecretsTest, ATakenNameIsAConflict) {
  ASSERT_EQ(Make(R"({"name":"a","value":"v"})").status, 201);
  ParsedResponse second = Make(R"({"name":"A","value":"canary"})");
  EXPECT_EQ(second.status, 409);
  EXPECT_THAT(second.message(), HasSubstr("'a' already exists"));
  EXPECT_EQ(Call("POST", "/secrets", R"({"name":"a","value":"v"})", theirs_).status, 201);
}

TEST_F(E2bSecretsTest, AForeignSecretIsTheSameAsNone) {
  ParsedResponse made = Make(R"({"name":"a","value":"v"})");
  std::string id(FindString(made.body, "secretID"));
  for (const std::string& ref : {id, std::string("a")}) {
    for (const auto& [method, body] :
         {std::pair("GET", ""), std::pair("POST", R"({"value":"x"})"), std::pair("DELETE", "")}) {
      ParsedResponse response = Call(method, "/secrets/" + ref, body, theirs_);
      EXPECT_EQ(response.status, 404) << method;
      EXPECT_EQ(response.message(),
                "Secret '" + ref + "' doesn't exist or you don't have access to it");
    }
  }
  EXPECT_EQ(Call("GET", "/secrets", "", theirs_).text, "[]");
  EXPECT_EQ(Call("GET", "/secrets/" + id).body.at("currentVersion").as_int64(), 1);
}

TEST_F(E2bSecretsTest, ADeletedSecretIsGone) {
  ASSERT_EQ(Make(R"({"name":"a","value":"v"})").status, 201);
  EXPECT_EQ(Call("DELETE", "/secrets/a").status, 204);
  EXPECT_EQ(Call("DELETE", "/secrets/a").status, 404);
  EXPECT_EQ(Call("GET", "/secrets/a").status, 404);
  EXPECT_EQ(Call("POST", "/secrets/a", R"({"value":"v"})").status, 404);
}

TEST_F(E2bSecretsTest, RefusesBadBodiesAndRepeatsNoValue) {
  for (const std::string& body : {
           std::string(""),
           std::string("x"),
           std::string("[]"),
           std::string("{}"),
           std::string(R"({"name":"a"})"),
           std::string(R"({"value":"canary"})"),
           std::string(R"({"name":1,"value":"canary"})"),
           std::string(R"({"name":"","value":"canary"})"),
           std::string(R"({"name":"a b","value":"canary"})"),
           std::string(R"({"name":"a.b","value":"canary"})"),
           std::string(R"({"name":"sec_a","value":"canary"})"),
           R"({"name":")" + std::string(129, 'a') + R"(","value":"canary"})",
           std::string(R"({"name":"a","value":""})"),
           std::string(R"({"name":"a","value":null})"),
           std::string(R"({"name":"a","value":["canary"]})"),
           std::string(R"({"name":"a","value":"canary\u0000"})"),
           R"({"name":"a","value":"canary)" + std::string(64 * 1024, 'x') + R"("})",
           std::string(R"({"name":"a","value":"canary","metadata":[]})"),
           std::string(R"({"name":"a","value":"canary","metadata":{"k":1}})"),
       }) {
    ParsedResponse response = Make(body);
    EXPECT_EQ(response.status, 400) << body.substr(0, 100);
    EXPECT_NE(response.message(), "");
    EXPECT_THAT(response.text, Not(HasSubstr("canary"))) << body.substr(0, 100);
  }
  EXPECT_EQ(Call("GET", "/secrets").text, "[]");
  ASSERT_EQ(Make(R"({"name":"a","value":"v"})").status, 201);
  for (const char* body : {"", "{}", R"({"value":""})", R"({"value":1})",
                           R"({"value":"v","metadata":{"":"x"}})", R"({"value":"v","metadata":1})"})
    EXPECT_EQ(Call("POST", "/secrets/a", body).status, 400) << body;
  EXPECT_EQ(Call("GET", "/secrets/a").body.at("currentVersion").as_int64(), 1);
}

TEST_F(E2bSecretsTest, AnEmptyNameIsNoSecret) {
  EXPECT_EQ(Call("GET", "/secrets/").status, 404);
  EXPECT_EQ(Call("GET", "/secrets/?limit=1").status, 404);
  EXPECT_EQ(Call("POST", "/secrets/", R"({"value":"v"})").status, 404);
  EXPECT_EQ(Call("POST", "/secrets/", R"({"name":"a","value":"v"})").status, 404);
  EXPECT_EQ(Call("GET", "/secrets").text, "[]");
}

TEST_F(E2bSecretsTest, MoreThanAnAccountMayHaveAreAConflict) {
  for (std::size_t i = 0; i < accounts::kSecretsPerAccountMax; ++i)
    ASSERT_TRUE(RunToEnd(secrets_.Create("mine", "n" + std::to_string(i), "x", {})).has_value());
  ParsedResponse response = Make(R"({"name":"more","value":"canary"})");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.message(), "Project secret limit reached");
}

TEST_F(E2bSecretsTest, MetadataHasLimits) {
  json::object most, longest{{std::string(128, 'k'), std::string(1024, 'v')}};
  for (int i = 0; i < 32; ++i) most["k" + std::to_string(i)] = std::string(200, 'v');
  EXPECT_EQ(Make(MetadataBody(most)).status, 201);
  ASSERT_EQ(Call("DELETE", "/secrets/a").status, 204);
  EXPECT_EQ(Make(MetadataBody(longest)).status, 201);
  json::object many = most;
  many["more"] = "";
  json::object large;
  for (int i = 0; i < 9; ++i) large["k" + std::to_string(i)] = std::string(1000, 'v');
  for (const json::object& metadata :
       {many, large, json::object{{std::string(129, 'k'), "v"}}, json::object{{"", "v"}},
        json::object{{"k", std::string(1025, 'v')}}})
    EXPECT_EQ(Make(MetadataBody(metadata)).status, 400) << WriteJson(metadata).substr(0, 80);
}

TEST_F(E2bSecretsTest, ListsInPagesNewestFirst) {
  for (const char* name : {"one", "two", "three", "four", "five"})
    ASSERT_EQ(Make(std::string(R"({"name":")") + name + R"(","value":"canary"})").status, 201);
  std::vector<std::string> names;
  std::string token;
  do {
    ParsedResponse page = Call("GET", "/secrets?limit=2&nextToken=" + token);
    ASSERT_EQ(page.status, 200) << page.text;
    EXPECT_THAT(page.text, Not(HasSubstr("canary")));
    for (const json::value& item : page.body.as_array())
      names.emplace_back(FindString(item, "name"));
    token = page.headers.Get("X-Next-Token");
  } while (!token.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"five", "four", "three", "two", "one"}));
  EXPECT_EQ(Call("GET", "/secrets").body.as_array().size(), 5u);
  for (const char* query : {"limit=0", "limit=101", "limit=x", "nextToken=x"})
    EXPECT_EQ(Call("GET", std::string("/secrets?") + query).status, 400) << query;
}

TEST_F(E2bSecretsTest, WantsAKey) {
  const HeaderList wrong = {{"X-API-Key", "wrong"}};
  EXPECT_EQ(Call("GET", "/secrets", "", wrong).status, 401);
  EXPECT_EQ(Call("POST", "/secrets", R"({"name":"a","value":"v"})", wrong).status, 401);
}

}  // namespace
}  // namespace viv::e2b
