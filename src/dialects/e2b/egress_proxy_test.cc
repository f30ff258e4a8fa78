// network.egressProxy: what is kept of it, and which ones are refused.

#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class E2bProxyTest : public E2bTest {
 protected:
  using Kind = gateway::SecretText::Kind;

  ParsedResponse CreateWith(const std::string& network) {
    return Call("POST", "/v2/sandboxes", R"({"templateID":"base","network":)" + network + '}');
  }
  ParsedResponse CreateBy(const std::string& address) {
    return CreateWith(R"({"egressProxy":{"address":")" + address + R"("}})");
  }
  std::string Made(const std::string& network) {
    ParsedResponse response = CreateWith(network);
    EXPECT_EQ(response.status, 201) << response.text;
    return std::string(FindString(response.body, "sandboxID"));
  }
  const gateway::Plan& PlanOf(const std::string& id) { return At(id).spec.network.plan; }
  std::string Shown(const std::string& id) {
    return WriteJson(Call("GET", "/sandboxes/" + id).body.at("network"));
  }
  std::string Revealed(const gateway::SecretText& text) {
    auto revealed = secrets_.Reveal("mine", text);
    return revealed ? *revealed : "error: " + revealed.error().message;
  }
};

TEST_F(E2bProxyTest, AProxyIsKeptWithItsPasswordSealed) {
  std::string id = Made(R"({"egressProxy":{"address":"proxy.example.com:1080","username":"me",
                            "password":"canary"}})");
  ASSERT_TRUE(PlanOf(id).proxy.has_value());
  EXPECT_EQ(PlanOf(id).proxy->address, "proxy.example.com:1080");
  EXPECT_EQ(PlanOf(id).proxy->username, "me");
  EXPECT_EQ(PlanOf(id).proxy->password.kind, Kind::kSealed);
  EXPECT_EQ(PlanOf(id).proxy->password.purpose, "e2b.proxy:mine");
  EXPECT_EQ(Revealed(PlanOf(id).proxy->password), "canary");
  EXPECT_EQ(Shown(id), R"({"allowPublicTraffic":true,"egressProxy":)"
                       R"({"address":"proxy.example.com:1080","username":"me"}})");
}

TEST_F(E2bProxyTest, AProxyNeedsNoCredentials) {
  for (const char* address : {"10.1.2.3:1080", "[2001:db8::1]:1", "proxy:65535"}) {
    std::string id = Made(R"({"egressProxy":{"address":")" + std::string(address) + R"("}})");
    ASSERT_TRUE(PlanOf(id).proxy.has_value()) << address;
    EXPECT_EQ(PlanOf(id).proxy->password, gateway::SecretText());
  }
  EXPECT_FALSE(PlanOf(Made(R"({"egressProxy":null})")).proxy.has_value());
  EXPECT_EQ(CreateWith(R"({"egressProxy":{"address":"a:1","tls":{"enabled":false}}})").status, 201);
}

TEST_F(E2bProxyTest, RefusesProxiesThatCannotBe) {
  const std::string long_text(256, 'x');
  for (const std::string& proxy :
       {std::string("[]"),
        std::string("{}"),
        std::string(R"({"address":""})"),
        std::string(R"({"address":"proxy.example.com"})"),
        std::string(R"({"address":":1080"})"),
        std::string(R"({"address":"a:0"})"),
        std::string(R"({"address":"a:65536"})"),
        std::string(R"({"address":"a:b"})"),
        std::string(R"({"address":"::1"})"),
        std::string(R"({"address":"*.a.com:1"})"),
        std::string(R"({"address":"~a:1"})"),
        std::string(R"({"address":"10.0.0.0/8:1"})"),
        std::string(R"({"address":"u:p@a.com:1"})"),
        std::string(R"({"address":"socks5://a.com:1"})"),
        std::string(R"({"address":1})"),
        std::string(R"({"address":"a:1","username":1})"),
        std::string(R"({"address":"a:1","tls":true})"),
        std::string(R"({"address":"a:1","tls":{}})"),
        std::string(R"({"address":"a:1","tls":{"enabled":true}})"),
        std::string(R"({"address":"a:1","password":"canary"})"),
        std::string(R"({"address":"a:1","username":"","password":"canary"})"),
        R"({"address":"a:1","username":")" + long_text + R"("})",
        R"({"address":"a:1","username":"u","password":"canary)" + long_text + R"("})"}) {
    ParsedResponse response = CreateWith(R"({"egressProxy":)" + proxy + '}');
    EXPECT_EQ(response.status, 400) << proxy;
    EXPECT_THAT(response.message(),
                AnyOf(StartsWith("egressProxy"), StartsWith("network.egressProxy"),
                      StartsWith("Invalid egress proxy config: ")))
        << proxy;
    EXPECT_THAT(response.text, Not(HasSubstr("canary"))) << proxy;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
  EXPECT_TRUE(boxes_.proxies.empty());  // whose names nobody was asked for
}

TEST_F(E2bProxyTest, UsesTheVendorsWordsForMistakes) {
  const std::string config = "Invalid egress proxy config: ";
  const std::string form = config + "egress proxy address must be in host:port form: ";
  const std::string range = " is not a valid 1-65535 value";
  for (const auto& [address, message] : std::vector<std::pair<std::string, std::string>>{
           {"", config + "egress proxy address must not be empty"},
           {"proxy.example.com", form + "missing port in address"},
           {"[::1]", form + "missing port in address"},
           {"::1", form + "too many colons in address"},
           {"socks5://a.com:1", form + "too many colons in address"},
           {"[::1:1", form + "missing ']' in address"},
           {"u:p@a.com:1", form + "username and password are members of their own"},
           {":1080", config + "egress proxy host must not be empty"},
           {"a:0", config + R"(egress proxy port "0")" + range},
           {"a:65536", config + R"(egress proxy port "65536")" + range},
           {"a:b", config + R"(egress proxy port "b")" + range},
           {"a:", config + R"(egress proxy port "")" + range},
           {"*.a.com:1",
            config + R"(resolve egress proxy host "*.a.com": it is no name of a host)"}})
    EXPECT_EQ(CreateBy(address).message(), message) << address;
  EXPECT_EQ(CreateWith(R"({"egressProxy":{"address":"a:1","password":"x"}})").message(),
            config + "egress proxy password must be empty when username is empty");
  const std::string long_text(256, 'x');
  EXPECT_EQ(CreateWith(R"({"egressProxy":{"address":"a:1","username":")" + long_text + R"("}})")
                .message(),
            config + "egress proxy username must not exceed 255 bytes");
}

TEST_F(E2bProxyTest, IsKeptInLowerCase) {
  EXPECT_EQ(
      PlanOf(Made(R"({"egressProxy":{"address":" Proxy.Example.com:1080 "}})")).proxy->address,
      "proxy.example.com:1080");
}

TEST_F(E2bProxyTest, OneThatLeadsInsideOrNowhereIsRefusedBeforeAnythingIsMade) {
  std::string id = Put();
  const std::string path = "/sandboxes/" + id + "/network";
  const char* network =
      R"({"egressProxy":{"address":"p.test:1080","username":"u","password":"x"}})";
  auto refused = [&](const Error& failure, const std::string& message) {
    boxes_.proxy_failure = failure;
    for (const ParsedResponse& response : {CreateWith(network), Call("PUT", path, network)}) {
      EXPECT_EQ(response.status, 400);
      EXPECT_EQ(response.message(), message);
    }
  };
  refused({ErrorCode::kPermissionDenied, "p.test resolves to 10.0.0.1"},
          "Invalid egress proxy config: egress proxy endpoint resolves to an internal / denied IP "
          "range: p.test resolves to 10.0.0.1");
  refused({ErrorCode::kUnavailable, "no such host"},
          R"(Invalid egress proxy config: resolve egress proxy host "p.test": no such host)");
  EXPECT_EQ(boxes_.boxes.size(), 1u);
  EXPECT_EQ(PlanOf(id), gateway::Plan());
  EXPECT_EQ(boxes_.proxies, std::vector<std::string>(4, "p.test:1080"));
  EXPECT_EQ(CreateWith("{}").status, 201);
  EXPECT_EQ(Call("PUT", path, "{}").status, 204);
  EXPECT_EQ(boxes_.proxies.size(), 4u);
}

TEST_F(E2bProxyTest, OneThatIsRefusedFreesTheIdempotencyKey) {
  const HeaderList key = {{"Idempotency-Key", "k1"}};
  const char* body = R"({"templateID":"base","network":{"egressProxy":{"address":"p.test:1"}}})";
  boxes_.proxy_failure = Error{ErrorCode::kUnavailable, "no such host"};
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 400);
  boxes_.proxy_failure.reset();
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 201);
}

}  // namespace
}  // namespace viv::e2b
