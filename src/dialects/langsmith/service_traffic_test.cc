#include "dialects/langsmith/service_traffic.h"

#include "dialects/langsmith/service_test_support.h"

namespace viv::langsmith {
namespace {

using boxes::BoxState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr char kBrowser[] = "Mozilla/5.0 (X11)";

class ServiceTrafficTest : public ServiceTest {
 protected:
  ServiceTrafficTest() : id_(PutNamed("one")), path_(PathOf(id_, 8000)), token_(TokenFor(8000)) {}

  // The value of "Set-Cookie" up to its attributes.
  std::string CookieFrom(const ParsedResponse& response) {
    std::string cookie(response.headers.Get("set-cookie"));
    return cookie.substr(0, cookie.find(';'));
  }

  const std::string id_;
  const std::string path_;
  const std::string token_;
};

TEST_F(ServiceTrafficTest, IsKnownByPathOrName) {
  auto is_service = [](std::string_view domain, std::string host, std::string target) {
    http::Request request = MakeRequest("GET", std::move(target));
    request.headers.Set("Host", std::move(host));
    return IsServiceTraffic(domain, request);
  };
  std::string name = boxes::UuidOfBox(id_) + "--8000.sbx.example";
  EXPECT_TRUE(is_service("", "localhost", "/_svc/x/1/"));
  EXPECT_TRUE(is_service("sbx.example:8443", name + ":8443", "/v2/sandboxes"));
  EXPECT_TRUE(is_service("sbx.example", name, "/"));
  EXPECT_FALSE(is_service("", name, "/"));
  EXPECT_FALSE(is_service("other.example", name, "/"));
  EXPECT_FALSE(is_service("sbx.example", "sbx.example", "/"));
  EXPECT_FALSE(is_service("sbx.example", "x--80.sbx.example", "/"));
  EXPECT_FALSE(is_service("sbx.example", "evil" + name + ".example", "/"));
  EXPECT_FALSE(is_service("sbx.example", boxes::UuidOfBox(id_) + "--0.sbx.example", "/"));
  EXPECT_FALSE(is_service("sbx.example", boxes::UuidOfBox(id_) + "--65536.sbx.example", "/"));
  EXPECT_FALSE(is_service("sbx.example", boxes::UuidOfBox(id_) + "--.sbx.example", "/"));
  EXPECT_FALSE(is_service("sbx.example", "", "/_svc"));
}

TEST_F(ServiceTrafficTest, ATokenOpensThePortAndTheGuestSeesItsOwnPath) {
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/a%20b/c?d=e&f").text, "from the box");
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id_, 8000)));
  EXPECT_EQ(relayed_.at(0).target, "/a%20b/c?d=e&f");
  EXPECT_EQ(relayed_.at(0).path, "/a%20b/c");
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").status, 200);
  EXPECT_EQ(relayed_.at(1).target, "/");
}

TEST_F(ServiceTrafficTest, AnyMethodAndUpgradesPass) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"}) {
    CallService(method, path_ + "/x", {{"X-Langsmith-Sandbox-Service-Token", token_}});
    EXPECT_EQ(relayed_.back().method, method);
  }
  CallService("GET", path_ + "/chat",
              {{"X-Langsmith-Sandbox-Service-Token", token_}, {"Upgrade", "websocket"}});
  EXPECT_EQ(relayed_.back().headers.Get("upgrade"), "websocket");
}

TEST_F(ServiceTrafficTest, ByNameTheWholePathIsTheGuests) {
  context_.domain = service_context_.domain = "sbx.example:8443";
  std::string host = boxes::UuidOfBox(id_) + "--8000.SBX.example:8443";
  ParsedResponse response = CallService(
      "GET", "/_svc/else?x=1", {{"Host", host}, {"X-Langsmith-Sandbox-Service-Token", token_}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(relayed_.at(0).target, "/_svc/else?x=1");
  EXPECT_FALSE(relayed_.at(0).headers.Has("x-forwarded-prefix"));
  ParsedResponse login = CallService("GET", "/_svc/auth?token=" + token_, {{"Host", host}});
  EXPECT_EQ(login.headers.Get("location"), "/");
  EXPECT_THAT(std::string(login.headers.Get("set-cookie")), HasSubstr("; Path=/;"));
}

TEST_F(ServiceTrafficTest, WithoutATokenThereIsNothing) {
  for (const ParsedResponse& response :
       {CallService("GET", path_ + "/"), CallServiceWithToken("", path_ + "/"),
        CallServiceWithToken("x.y.z", path_ + "/"), CallServiceWithToken(token_ + "x", path_)}) {
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.message(), "Authentication required");
    EXPECT_FALSE(response.headers.Has("www-authenticate"));
  }
  EXPECT_EQ(CallService("GET", path_ + "/", {{"X-Api-Key", "key"}}).status, 401)
      << "the owner's key opens what is shared by login alone";
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(ServiceTrafficTest, ATokenOpensNoOtherPortBoxOrPurpose) {
  std::string other = PutNamed("two");
  EXPECT_EQ(CallServiceWithToken(token_, PathOf(id_, 8001) + "/").status, 401);
  EXPECT_EQ(CallServiceWithToken(token_, PathOf(other, 8000) + "/").status, 401);
  EXPECT_EQ(CallService("GET", PathOf(other, 8000) + "/_svc/auth?token=" + token_).status, 401);
  ParsedResponse link = Call("POST", "/boxes/one/download-url", R"({"path":"/etc/passwd"})");
  EXPECT_EQ(CallServiceWithToken(std::string(link.Text("token")), path_ + "/").status, 401);
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(ServiceTrafficTest, AnOldTokenHasExpired) {
  boxes_.now_us += 599'000'000;
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").status, 200);
  boxes_.now_us += 2'000'000;
  ParsedResponse response = CallServiceWithToken(token_, path_ + "/");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.message(), "Service link has expired");
  EXPECT_EQ(CallService("GET", path_ + "/_svc/auth?token=" + token_).message(),
            "Service link has expired");
  EXPECT_EQ(CallService("GET", path_ + "/", {{"Cookie", "viv_service=" + token_}}).message(),
            "Service link has expired");
}

TEST_F(ServiceTrafficTest, PeopleGetAPage) {
  ParsedResponse page = CallService("GET", path_ + "/", {{"User-Agent", kBrowser}});
  EXPECT_EQ(page.status, 401);
  EXPECT_THAT(page.text, HasSubstr("<h1>Authentication required</h1>"));
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "refused"};
  ParsedResponse closed = CallService(
      "GET", path_ + "/", {{"User-Agent", kBrowser}, {"Cookie", "viv_service=" + token_}});
  EXPECT_EQ(closed.status, 502);
  EXPECT_THAT(closed.text, HasSubstr("<h1>Service is not reachable</h1>"));
}

TEST_F(ServiceTrafficTest, ALinkBecomesACookieOfThisServiceAlone) {
  ParsedResponse login = CallService("GET", path_ + "/_svc/auth?token=" + token_);
  EXPECT_EQ(login.status, 302);
  EXPECT_EQ(login.headers.Get("location"), path_ + "/");
  EXPECT_EQ(login.headers.Get("cache-control"), "no-store");
  EXPECT_EQ(login.headers.Get("referrer-policy"), "no-referrer");
  std::string cookie(login.headers.Get("set-cookie"));
  EXPECT_THAT(cookie, HasSubstr("viv_service=" + token_ + "; Path=" + path_ + "/; Max-Age=6"));
  EXPECT_THAT(cookie, HasSubstr("; HttpOnly; SameSite=Lax"));
  EXPECT_THAT(cookie, Not(HasSubstr("Secure")));
  EXPECT_THAT(boxes_.dialled, IsEmpty()) << "it is not woken before it is used";
  EXPECT_EQ(
      CallService("GET", path_ + "/", {{"Cookie", "a=b; " + CookieFrom(login) + "; c=d"}}).status,
      200);
  EXPECT_EQ(relayed_.at(0).headers.Get("cookie"), "a=b; c=d");
  CallService("GET", path_ + "/", {{"Cookie", CookieFrom(login)}});
  EXPECT_FALSE(relayed_.at(1).headers.Has("cookie"));
  EXPECT_EQ(CallService("POST", path_ + "/_svc/auth?token=" + token_).status, 405);
}

TEST_F(ServiceTrafficTest, TheCookieIsSecureWhereTheClientIs) {
  service_context_.public_url = "https://api.example/base/";
  ParsedResponse login = CallService("GET", path_ + "/_svc/auth?token=" + token_);
  EXPECT_THAT(std::string(login.headers.Get("set-cookie")), HasSubstr("; Secure"));
  EXPECT_THAT(std::string(login.headers.Get("set-cookie")),
              HasSubstr("; Path=/base" + path_ + "/;"));
  EXPECT_EQ(login.headers.Get("location"), "/base" + path_ + "/");
}

TEST_F(ServiceTrafficTest, ALinkLeadsNowhereButToItsService) {
  auto next = [this](std::string where) {
    return std::string(CallService("GET", path_ + "/_svc/auth?token=" + token_ + "&next=" + where)
                           .headers.Get("location"));
  };
  EXPECT_EQ(next("/app?a=b"), path_ + "/app?a=b");
  EXPECT_EQ(next("/app%3Fa%3Db%26c"), path_ + "/app?a=b&c");
  for (const char* bad : {"//evil.example", "https://evil.example", "/%5Cevil.example",
                          "%5C%5Cevil.example", "/../../v2/sandboxes", "/%252e%252e/x", "/a/..",
                          "evil", "", "/a%0d%0aX:%20y", "/%09/x", "/%255c..%255c"})
    EXPECT_EQ(next(bad), path_ + "/") << bad;
}

TEST_F(ServiceTrafficTest, AnotherOriginsPageCannotUseTheCookie) {
  std::string cookie = "viv_service=" + token_;
  for (const char* origin : {"https://evil.example", "null", "http://other.box.test:8080"})
    EXPECT_EQ(CallService("POST", path_ + "/", {{"Cookie", cookie}, {"Origin", origin}}).status,
              401);
  EXPECT_EQ(
      CallService("POST", path_ + "/", {{"Cookie", cookie}, {"Origin", "http://box.test:8080"}})
          .status,
      200);
  HeaderList by_header = {{"X-Langsmith-Sandbox-Service-Token", token_},
                          {"Origin", "https://mine.example"}};
  EXPECT_EQ(CallService("POST", path_ + "/", by_header).status, 200) << "a header is no accident";
}

TEST_F(ServiceTrafficTest, WhatIsOursStaysHere) {
  CallService("GET", path_ + "/",
              {{"X-Langsmith-Sandbox-Service-Token", token_},
               {"X-Langsmith-User-Id", "forged"},
               {"x-langsmith-user-email", "forged"},
               {"X-Langsmith-User-Token", "forged"},
               {"X-Forwarded-Prefix", "/forged"},
               {"Authorization", "Bearer the guest's own"},
               {"X-Custom", "kept"}});
  const http::Headers& seen = relayed_.at(0).headers;
  for (const char* name : {"x-langsmith-sandbox-service-token", "x-langsmith-user-id",
                           "x-langsmith-user-email", "x-langsmith-user-token"})
    EXPECT_FALSE(seen.Has(name)) << name;
  EXPECT_EQ(seen.Get("x-forwarded-prefix"), path_);
  EXPECT_EQ(seen.Get("authorization"), "Bearer the guest's own");
  EXPECT_EQ(seen.Get("x-custom"), "kept");
}

TEST_F(ServiceTrafficTest, AKeyOfThisServerNeverReachesAGuest) {
  for (const auto& [name, value] :
       HeaderList{{"X-Api-Key", "key"}, {"Authorization", "Bearer other"}}) {
    relayed_.clear();
    CallService("GET", path_ + "/", {{"X-Langsmith-Sandbox-Service-Token", token_}, {name, value}});
    EXPECT_FALSE(relayed_.at(0).headers.Has(name));
  }
}

TEST_F(ServiceTrafficTest, AGuestsCookiesAndRedirectionsStayWithIt) {
  relay_response_.status = 302;
  relay_response_.headers.Add("Location", "/login?x=1");
  relay_response_.headers.Add("Set-Cookie", "sid=1; Path=/app; Domain=box.test; Secure");
  relay_response_.headers.Add("Set-Cookie", "viv_service=forged; Path=/");
  relay_response_.headers.Add("Service-Worker-Allowed", "/");
  ParsedResponse response = CallServiceWithToken(token_, path_ + "/");
  EXPECT_EQ(response.headers.Get("location"), path_ + "/login?x=1");
  EXPECT_EQ(response.headers.Get("set-cookie"), "sid=1; Secure; Path=" + path_ + "/app");
  EXPECT_FALSE(response.headers.Has("service-worker-allowed"));
  int cookies = 0;
  for (const auto& [name, value] : response.headers) cookies += name == "Set-Cookie" ? 1 : 0;
  EXPECT_EQ(cookies, 1);
}

TEST_F(ServiceTrafficTest, WithoutItsLastSlashAPageIsSentToIt) {
  ParsedResponse response = CallServiceWithToken(token_, path_ + "?x=1");
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.headers.Get("location"), path_ + "/?x=1");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  CallService("POST", path_ + "?x=1", {{"X-Langsmith-Sandbox-Service-Token", token_}});
  EXPECT_EQ(relayed_.at(0).target, "/?x=1");
}

TEST_F(ServiceTrafficTest, WhatIsNoServiceIsNotFound) {
  for (std::string path :
       {std::string("/_svc/"), std::string("/_svc/x"), std::string("/_svc/x/80/"),
        "/_svc/" + boxes::UuidOfBox(id_), "/_svc/" + boxes::UuidOfBox(id_) + "/",
        PathOf(id_, 0) + "/", PathOf(id_, 65536) + "/", path_ + "x/",
        "/_svc/" + boxes::UuidOfBox(id_) + "/08000/"})
    EXPECT_EQ(CallServiceWithToken(token_, path).status, 404) << path;
}

TEST_F(ServiceTrafficTest, ABoxThatIsGoneIsNotFoundForItsTokenOnly) {
  boxes_.boxes.erase(id_);
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").status, 404);
  EXPECT_EQ(CallService("GET", path_ + "/").status, 401);
}

TEST_F(ServiceTrafficTest, ASleepingBoxIsWokenForItsTokenOnly) {
  boxes_.Edit(id_, [](boxes::Box& box) {
    box.state = BoxState::kStopped;
    box.spec.wake = boxes::WakeOnTraffic::kAlways;
  });
  EXPECT_EQ(CallService("GET", path_ + "/").status, 401);
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").status, 200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id_, 8000)));
}

TEST_F(ServiceTrafficTest, WhatDoesNotAnswerIsNotReachable) {
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "refused"};
  ParsedResponse closed = CallServiceWithToken(token_, path_ + "/");
  EXPECT_EQ(closed.status, 502);
  EXPECT_EQ(closed.message(), "Service is not reachable");
  boxes_.dial_failure.reset();
  relay_failure_ = Error{ErrorCode::kUnavailable, "closed"};
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").message(), "Service is not reachable");
  boxes_.Edit(id_, [](boxes::Box& box) { box.state = BoxState::kFailed; });
  EXPECT_EQ(CallServiceWithToken(token_, path_ + "/").type(), "NotReady");
}

TEST_F(ServiceTrafficTest, TheBoxSaysHowItsPortsWantToBeSpokenTo) {
  boxes_.Edit(id_, [](boxes::Box& box) {
    box.spec.network.mask_request_host = "inner:${PORT}";
    box.spec.network.tls_ports = {8000};
  });
  CallServiceWithToken(token_, path_ + "/");
  EXPECT_EQ(relayed_.at(0).options.host, "inner:8000");
  EXPECT_EQ(relayed_.at(0).options.transport, http::RelayOptions::Transport::kTls);
}

}  // namespace
}  // namespace viv::langsmith
