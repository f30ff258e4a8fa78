#include "dialects/langsmith/registries.h"

#include <algorithm>

#include "base/ids.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kRegistryBody[] =
    R"({"name": "r1", "url": "reg.example.com", "username": "u", "password": "geheim"})";

class RegistriesTest : public LangsmithTest {};

TEST_F(RegistriesTest, OneIsMadeShownAndRemoved) {
  ParsedResponse made = Call("POST", "/registries", kRegistryBody);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_TRUE(IsUuid(made.Text("id")));
  EXPECT_EQ(made.Text("name"), "r1");
  EXPECT_EQ(made.Text("url"), "reg.example.com");
  EXPECT_EQ(made.Text("created_by"), "mine");
  EXPECT_NE(made.Text("created_at"), "");
  ParsedResponse shown = CallPath("GET", "/api/v2/sandboxes/registries/r1");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body, made.body);
  EXPECT_EQ(Call("DELETE", "/registries/r1").status, 204);
  EXPECT_EQ(Call("GET", "/registries/r1").status, 404);
  EXPECT_EQ(Call("DELETE", "/registries/r1").status, 404);
}

TEST_F(RegistriesTest, ThePasswordIsNeitherShownNorStoredInTheClear) {
  for (const ParsedResponse& response :
       {Call("POST", "/registries", kRegistryBody), Call("GET", "/registries/r1"),
        Call("GET", "/registries"), Call("PATCH", "/registries/r1", R"({"username": "v"})")}) {
    EXPECT_LT(response.status, 300);
    EXPECT_THAT(response.text, Not(HasSubstr("geheim")));
    EXPECT_THAT(response.text, Not(HasSubstr("password")));
    EXPECT_THAT(response.text, Not(HasSubstr("username")));
  }
  for (const auto& [key, document] : store_.documents)
    EXPECT_THAT(document.body, Not(HasSubstr("geheim")));
}

TEST_F(RegistriesTest, ABuildGetsTheCredentialsByIdAndByName) {
  const ParsedResponse made = Call("POST", "/registries", kRegistryBody);
  for (std::string ref : {std::string(made.Text("id")), std::string("r1")}) {
    auto opened = OpenRegistry(context_, "mine", ref);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->host, "reg.example.com");
    EXPECT_EQ(opened->login.user, "u");
    EXPECT_EQ(opened->login.password, "geheim");
    EXPECT_EQ(opened->transport, boxes::RegistryTransport::kTls);
    EXPECT_EQ(OpenRegistry(context_, "theirs", ref).error().code, ErrorCode::kNotFound);
  }
}

TEST_F(RegistriesTest, AnUpdateChangesWhatItNamesAndNothingElse) {
  const ParsedResponse made = Call("POST", "/registries", kRegistryBody);
  boxes_.now_us += 5'000'000;
  ParsedResponse changed =
      Call("PATCH", "/registries/r1", R"({"name": "r2", "url": "http://10.0.0.5:5000"})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.Text("id"), made.Text("id"));
  EXPECT_EQ(changed.Text("name"), "r2");
  EXPECT_EQ(changed.Text("created_at"), made.Text("created_at"));
  EXPECT_GT(changed.Text("updated_at"), made.Text("updated_at"));
  EXPECT_EQ(Call("GET", "/registries/r1").status, 404);
  auto opened = OpenRegistry(context_, "mine", "r2");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->host, "10.0.0.5:5000");
  EXPECT_EQ(opened->transport, boxes::RegistryTransport::kPlain);
  EXPECT_EQ(opened->login.password, "geheim");
}

TEST_F(RegistriesTest, ANameIsTakenOncePerAccount) {
  EXPECT_EQ(Call("POST", "/registries", kRegistryBody).status, 201);
  ParsedResponse again = Call("POST", "/registries", kRegistryBody);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.type(), "Conflict");
  EXPECT_EQ(Call("POST", "/registries", kRegistryBody, {{"X-Api-Key", "other"}}).status, 201);
  EXPECT_EQ(Call("POST", "/registries",
                 R"({"name": "r2", "url": "a.io", "username": "u", "password": "p"})")
                .status,
            201);
  EXPECT_EQ(Call("PATCH", "/registries/r2", R"({"name": "r1"})").status, 409);
  EXPECT_EQ(Call("PATCH", "/registries/r1", R"({"name": "r1"})").status, 200);
}

TEST_F(RegistriesTest, AnotherAccountHasNone) {
  Call("POST", "/registries", kRegistryBody);
  for (const char* method : {"GET", "PATCH", "DELETE"})
    EXPECT_EQ(Call(method, "/registries/r1", "{}", {{"X-Api-Key", "other"}}).status, 404);
  EXPECT_EQ(Call("GET", "/registries", "", {{"X-Api-Key", "other"}})
                .body.at("registries")
                .as_array()
                .size(),
            0u);
}

TEST_F(RegistriesTest, TheListIsCutIntoPages) {
  for (const char* name : {"alpha", "Beta", "gamma"})
    Call("POST", "/registries",
         R"({"url": "a.io", "username": "u", "password": "p", "name": ")" + std::string(name) +
             "\"}");
  ParsedResponse page = Call("GET", "/registries?limit=2");
  EXPECT_EQ(page.body.at("registries").as_array().size(), 2u);
  EXPECT_EQ(page.body.at("offset").to_number<int>(), 2);
  page = Call("GET", "/registries?limit=2&offset=2");
  EXPECT_EQ(page.body.at("registries").as_array().size(), 1u);
  EXPECT_EQ(page.body.at("offset").to_number<int>(), 0);
  page = Call("GET", "/registries?name_contains=BET");
  ASSERT_EQ(page.body.at("registries").as_array().size(), 1u);
  EXPECT_EQ(FindString(page.body.at("registries").at(0), "name"), "Beta");
  for (const char* query : {"limit=0", "limit=501", "limit=x", "offset=-1"})
    EXPECT_EQ(Call("GET", "/registries?" + std::string(query)).status, 400) << query;
}

TEST_F(RegistriesTest, PagesWithCursorsLeadFromTheNewestToTheOldest) {
  for (int i = 0; i < 25; ++i) {
    boxes_.now_us += 1'000;
    const std::string name = "r" + std::to_string(10 + i);
    Call("POST", "/registries",
         R"({"url": "a.io", "username": "u", "password": "p", "name": ")" + name + "\"}");
  }
  std::vector<std::string> seen;
  std::string query = "?page_size=10";
  for (int pages = 0; pages < 3; ++pages) {
    ParsedResponse page = Call("GET", "/registries" + query);
    ASSERT_EQ(page.status, 200) << page.text;
    EXPECT_EQ(page.body.at("items"), page.body.at("registries"));
    for (const json::value& one : page.body.at("items").as_array())
      seen.emplace_back(FindString(one, "name"));
    EXPECT_EQ(page.body.at("next_cursor").is_null(), pages == 2);
    query = "?page_size=10&cursor=" + std::string(page.Text("next_cursor"));
  }
  ASSERT_EQ(seen.size(), 25u);
  EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
  // Without a size, a cursor's page has 20; a page with a size at most 100.
  auto count = [](const ParsedResponse& page) { return page.body.at("items").as_array().size(); };
  const ParsedResponse first = Call("GET", "/registries?page_size=1");
  EXPECT_EQ(count(first), 1u);
  EXPECT_EQ(count(Call("GET", "/registries?cursor=" + std::string(first.Text("next_cursor")))),
            20u);
  EXPECT_EQ(count(Call("GET", "/registries?page_size=500")), 25u);
  EXPECT_EQ(count(Call("GET", "/registries")), 25u);
  EXPECT_EQ(Call("GET", "/registries?cursor=x").status, 400);
}

TEST_F(RegistriesTest, WhatIsWrongIsNamed) {
  struct Case {
    const char* body;
    const char* field;
  };
  for (const Case& one : {
           Case{R"({"url": "a.io", "username": "u", "password": "p"})", "name"},
           Case{R"({"name": "a/b", "url": "a.io", "username": "u", "password": "p"})", "name"},
           Case{R"({"name": "..", "url": "a.io", "username": "u", "password": "p"})", "name"},
           Case{R"({"name": "a", "username": "u", "password": "p"})", "url"},
           Case{R"({"name": "a", "url": "ftp://a.io", "username": "u", "password": "p"})", "url"},
           Case{R"({"name": "a", "url": "-a", "username": "u", "password": "p"})", "url"},
           Case{R"({"name": "a", "url": "u@a.io", "username": "u", "password": "p"})", "url"},
           Case{R"({"name": "a", "url": "a.io", "password": "p"})", "username"},
           Case{R"({"name": "a", "url": "a.io", "username": "u:v", "password": "p"})", "username"},
           Case{R"({"name": "a", "url": "a.io", "username": "u"})", "password"},
           Case{R"({"name": "a", "url": "a.io", "username": "u", "password": 1})", "password"},
       }) {
    ParsedResponse response = Call("POST", "/registries", one.body);
    EXPECT_EQ(response.status, 422) << one.body;
    EXPECT_EQ(response.field(), one.field) << one.body;
  }
  EXPECT_EQ(Call("POST", "/registries", "").status, 400);
  EXPECT_EQ(Call("POST", "/registries", "[]").status, 400);
  EXPECT_EQ(CallOpenly("GET", "/v2/sandboxes/registries").status, 401);
}

TEST(RegistryUrlTest, AHostIsFoundInEveryForm) {
  EXPECT_EQ(ParseRegistryUrl("Reg.Example.com")->host, "reg.example.com");
  EXPECT_EQ(ParseRegistryUrl("https://reg.example.com/v2/")->host, "reg.example.com");
  EXPECT_EQ(ParseRegistryUrl("https://index.docker.io/v1/")->host, "docker.io");
  EXPECT_EQ(ParseRegistryUrl("https://a.io")->transport, boxes::RegistryTransport::kTls);
  EXPECT_EQ(ParseRegistryUrl("http://a.io:80")->transport, boxes::RegistryTransport::kPlain);
  for (const char* bad : {"", "http://", "https:///x", "a b", "a.io:0", "a.io:x", "[::1]", "a..b"})
    EXPECT_FALSE(ParseRegistryUrl(bad)) << bad;
}

}  // namespace
}  // namespace viv::langsmith
