#include "http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Handlers are told apart by the state they carry.
struct Named {
  std::string name;
  Task<Response> operator()(Request&) const { co_return Response(); }
};

std::string NameOf(const Router::Match& match) {
  if (match.handler == nullptr) return "none";
  return match.handler->target<Named>()->name;
}

Router MakeRouter(std::initializer_list<std::pair<const char*, const char*>> routes) {
  Router router;
  for (auto [method, pattern] : routes) {
    router.Add(method, pattern, Named{std::string(method) + " " + pattern});
  }
  return router;
}

TEST(RouterTest, FindsALiteralPath) {
  Router router = MakeRouter({{"GET", "/health"}, {"GET", "/"}});
  EXPECT_EQ(NameOf(router.Find("GET", "/health")), "GET /health");
  EXPECT_EQ(NameOf(router.Find("GET", "/")), "GET /");
}

TEST(RouterTest, FindsNothingForAnUnknownPath) {
  Router router = MakeRouter({{"GET", "/a/b"}});
  for (const char* path : {"/", "/a", "/a/b/c", "/b", "", "a/b", "//a/b", "/a//b"}) {
    Router::Match match = router.Find("GET", path);
    EXPECT_EQ(NameOf(match), "none") << path;
    EXPECT_THAT(match.allowed_methods, IsEmpty()) << path;
  }
}

TEST(RouterTest, GivesParametersByName) {
  Router router = MakeRouter({{"GET", "/worlds/{world}/tools/{tool}"}});
  Router::Match match = router.Find("GET", "/worlds/w1/tools/t2");
  EXPECT_THAT(match.parameters, ElementsAre(Pair("world", "w1"), Pair("tool", "t2")));
}

TEST(RouterTest, PrefersALiteralSegmentToAParameterInAnyOrder) {
  Router first = MakeRouter({{"GET", "/a/{id}"}, {"GET", "/a/me"}});
  Router second = MakeRouter({{"GET", "/a/me"}, {"GET", "/a/{id}"}});
  for (const Router* router : {&first, &second}) {
    EXPECT_EQ(NameOf(router->Find("GET", "/a/me")), "GET /a/me");
    EXPECT_EQ(NameOf(router->Find("GET", "/a/you")), "GET /a/{id}");
  }
}

TEST(RouterTest, GoesBackWhenALiteralLeadsNowhere) {
  Router router = MakeRouter({{"GET", "/a/me/x"}, {"GET", "/a/{id}/y"}});
  Router::Match match = router.Find("GET", "/a/me/y");
  EXPECT_EQ(NameOf(match), "GET /a/{id}/y");
  EXPECT_THAT(match.parameters, ElementsAre(Pair("id", "me")));
}

TEST(RouterTest, GoesBackWhenALiteralHasNotTheMethod) {
  Router router = MakeRouter({{"GET", "/a/me"}, {"POST", "/a/{id}"}});
  EXPECT_EQ(NameOf(router.Find("POST", "/a/me")), "POST /a/{id}");
}

TEST(RouterTest, LetsTwoRoutesNameTheSameSegmentDifferently) {
  Router router = MakeRouter({{"GET", "/a/{id}"}, {"POST", "/a/{name}"}});
  EXPECT_THAT(router.Find("GET", "/a/1").parameters, ElementsAre(Pair("id", "1")));
  EXPECT_THAT(router.Find("POST", "/a/1").parameters, ElementsAre(Pair("name", "1")));
}

TEST(RouterTest, GivesTheRestOfThePath) {
  Router router = MakeRouter({{"GET", "/files/{path...}"}});
  EXPECT_THAT(router.Find("GET", "/files/a/b%20c").parameters, ElementsAre(Pair("path", "a/b c")));
  EXPECT_THAT(router.Find("GET", "/files").parameters, ElementsAre(Pair("path", "")));
  EXPECT_EQ(NameOf(router.Find("GET", "/other")), "none");
}

TEST(RouterTest, PrefersAParameterToARest) {
  Router router = MakeRouter({{"GET", "/a/{rest...}"}, {"GET", "/a/{id}"}, {"GET", "/a"}});
  EXPECT_EQ(NameOf(router.Find("GET", "/a/1")), "GET /a/{id}");
  EXPECT_EQ(NameOf(router.Find("GET", "/a/1/2")), "GET /a/{rest...}");
  EXPECT_EQ(NameOf(router.Find("GET", "/a")), "GET /a");
}

TEST(RouterTest, IgnoresOneTrailingSlash) {
  Router router = MakeRouter({{"GET", "/a/{id}"}, {"GET", "/b/"}});
  EXPECT_THAT(router.Find("GET", "/a/1/").parameters, ElementsAre(Pair("id", "1")));
  EXPECT_EQ(NameOf(router.Find("GET", "/b")), "GET /b/");
  EXPECT_EQ(NameOf(router.Find("GET", "/a/1//")), "none");
}

TEST(RouterTest, KeepsAnEncodedSlashInsideOneParameter) {
  Router router = MakeRouter({{"GET", "/a/{id}/x"}});
  EXPECT_THAT(router.Find("GET", "/a/b%2Fc/x").parameters, ElementsAre(Pair("id", "b/c")));
}

TEST(RouterTest, RefusesABrokenEscape) {
  Router router = MakeRouter({{"GET", "/a/{id}"}});
  for (const char* path : {"/a/%", "/a/%4", "/a/%zz"}) {
    EXPECT_EQ(NameOf(router.Find("GET", path)), "none") << path;
    EXPECT_THAT(router.Find("POST", path).allowed_methods, IsEmpty()) << path;
  }
}

TEST(RouterTest, RefusesAnEmptyParameter) {
  Router router = MakeRouter({{"GET", "/a/{id}/b"}});
  EXPECT_EQ(NameOf(router.Find("GET", "/a//b")), "none");
}

TEST(RouterTest, ComparesLiteralsAsSent) {
  Router router = MakeRouter({{"GET", "/admin"}});
  EXPECT_EQ(NameOf(router.Find("GET", "/%61dmin")), "none");
}

TEST(RouterTest, NamesTheAllowedMethodsOfAKnownPath) {
  Router router = MakeRouter({{"GET", "/a/me"}, {"PUT", "/a/{id}"}, {"DELETE", "/a/{id}"}});
  Router::Match match = router.Find("POST", "/a/me");
  EXPECT_EQ(NameOf(match), "none");
  EXPECT_THAT(match.allowed_methods, UnorderedElementsAre("GET", "HEAD", "PUT", "DELETE"));
}

TEST(RouterTest, HeadFindsGetUnlessItHasItsOwn) {
  Router router = MakeRouter({{"GET", "/a"}, {"GET", "/b"}, {"HEAD", "/b"}});
  EXPECT_EQ(NameOf(router.Find("HEAD", "/a")), "GET /a");
  EXPECT_EQ(NameOf(router.Find("HEAD", "/b")), "HEAD /b");
}

TEST(RouterTest, MountsRoutesUnderAPrefix) {
  Router inner = MakeRouter({{"GET", "/x/{id}"}, {"GET", "/"}});
  Router router;
  router.Mount("/klavis", inner);
  EXPECT_THAT(router.Find("GET", "/klavis/x/1").parameters, ElementsAre(Pair("id", "1")));
  EXPECT_EQ(NameOf(router.Find("GET", "/klavis")), "GET /");
  EXPECT_EQ(NameOf(router.Find("GET", "/x/1")), "none");
}

TEST(RouterTest, SurvivesAVeryLongPath) {
  Router router = MakeRouter({{"GET", "/{a}/{b}/{c}"}, {"GET", "/x/{rest...}"}});
  std::string path;
  for (int i = 0; i < 100'000; ++i) path += "/x";
  EXPECT_EQ(NameOf(router.Find("GET", path)), "GET /x/{rest...}");
  EXPECT_EQ(NameOf(router.Find("GET", "/y" + path)), "none");
}

TEST(RouterDeathTest, RefusesAMalformedPattern) {
  Router router;
  EXPECT_DEATH(router.Add("GET", "a", Named{}), "");
  EXPECT_DEATH(router.Add("GET", "/{}", Named{}), "");
  EXPECT_DEATH(router.Add("GET", "/{rest...}/a", Named{}), "");
}

TEST(RouterDeathTest, RefusesARouteGivenTwice) {
  Router router = MakeRouter({{"GET", "/a/{id}"}});
  EXPECT_DEATH(router.Add("GET", "/a/{name}", Named{}), "");
}

TEST(RouterTest, ListsWhatIsRegisteredWithItsPrefix) {
  Handler handler = [](Request&) -> Task<Response> { co_return Empty(200); };
  Router inner;
  inner.Add("GET", "/things/{id}", handler);
  Router router;
  router.Add("POST", "/first", handler);
  router.Mount("/outer", inner);
  std::vector<Router::Listed> list = router.List();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].method + " " + list[0].pattern, "POST /first");
  EXPECT_EQ(list[1].method + " " + list[1].pattern, "GET /outer/things/{id}");
}

}  // namespace
}  // namespace viv::http
