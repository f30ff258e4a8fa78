#include "dialects/langsmith/proxy_config.h"

#include <gtest/gtest.h>

#include "dialects/langsmith/proxy_plan.h"

namespace viv::langsmith {
namespace {

class ProxyConfigTest : public testing::Test {
 protected:
  accounts::Sealer server_sealer_{"the server's own secret"};
  AccountSealer sealer_ = AccountSealerOf(server_sealer_, "account");

  json::value Stored(std::string_view given, const json::value& previous = nullptr) {
    auto stored = StoreProxyConfig(*ParseJson(given), previous, sealer_);
    EXPECT_TRUE(stored.has_value()) << given << ": " << (stored ? "" : stored.error().message);
    return stored ? *stored : json::value();
  }
  // Where the mistake is, as "proxy_config.rules.0.name"; empty when there is none.
  std::string MistakeOf(std::string_view given, const json::value& previous = nullptr) {
    auto stored = StoreProxyConfig(*ParseJson(given), previous, sealer_);
    if (stored) return "";
    EXPECT_FALSE(stored.error().message.empty()) << given;
    std::string path;
    for (const std::string& part : stored.error().where) path += (path.empty() ? "" : ".") + part;
    return path;
  }
  std::string MistakeOfRule(std::string_view rule) {
    return MistakeOf(R"({"rules": [)" + std::string(rule) + "]}");
  }
};

constexpr std::string_view kOpaqueRule =
    R"({"rules": [{"name": "r", "match_hosts": ["api.example.com"],
        "headers": [{"name": "Authorization", "type": "opaque", "value": "Bearer s3cret"},
                    {"name": "X-Plain", "type": "plaintext", "value": "shown"}]}]})";

TEST_F(ProxyConfigTest, AnEmptyConfigIsOne) {
  EXPECT_EQ(Stored("{}"), json::value(json::object()));
  EXPECT_EQ(
      WriteJson(Stored(R"({"rules": [], "no_proxy": ["a"], "unknown": 1, "callbacks": null})")),
      R"({"rules":[],"no_proxy":["a"]})");
  EXPECT_EQ(MistakeOf("[]"), "proxy_config");
  EXPECT_EQ(MistakeOf("\"x\""), "proxy_config");
  EXPECT_EQ(MistakeOf(R"({"rules": {}})"), "proxy_config.rules");
  EXPECT_EQ(MistakeOf(R"({"rules": [1]})"), "proxy_config.rules.0");
  EXPECT_EQ(MistakeOf(R"({"no_proxy": [1]})"), "proxy_config.no_proxy.0");
}

TEST_F(ProxyConfigTest, OpaqueValuesAreSealedAndHidden) {
  json::value stored = Stored(kOpaqueRule);
  EXPECT_EQ(WriteJson(stored).find("s3cret"), std::string::npos);
  EXPECT_EQ(WriteJson(ShowProxyConfig(stored)),
            R"({"rules":[{"name":"r","match_hosts":["api.example.com"],"headers":[)"
            R"({"name":"Authorization","type":"opaque","is_set":true},)"
            R"({"name":"X-Plain","type":"plaintext","value":"shown"}]}]})");
  EXPECT_TRUE(ShowProxyConfig(nullptr).is_null());
  const json::value& headers = stored.at("rules").at(0).at("headers");
  EXPECT_EQ(OpenSecret(headers.at(0), sealer_).value(), "Bearer s3cret");
  EXPECT_EQ(OpenSecret(headers.at(1), sealer_).value(), "shown");
  EXPECT_FALSE(OpenSecret(headers.at(0), AccountSealerOf(server_sealer_, "other")));
}

TEST_F(ProxyConfigTest, AnOpaqueValueThatIsNotSentIsKept) {
  json::value stored = Stored(kOpaqueRule);
  json::value kept = Stored(
      R"({"rules": [{"name": "new", "match_hosts": ["a.com"]},
          {"name": "r", "match_hosts": ["other.com"],
           "headers": [{"name": "authorization", "type": "opaque", "is_set": true}]}]})",
      stored);
  EXPECT_EQ(OpenSecret(kept.at("rules").at(1).at("headers").at(0), sealer_).value(),
            "Bearer s3cret");
  json::value changed = Stored(
      R"({"rules": [{"name": "r", "match_hosts": ["a.com"],
           "headers": [{"name": "Authorization", "type": "opaque", "value": "new"}]}]})",
      stored);
  EXPECT_EQ(OpenSecret(changed.at("rules").at(0).at("headers").at(0), sealer_).value(), "new");
}

TEST_F(ProxyConfigTest, AnOpaqueValueThatNobodyHasIsRefused) {
  constexpr std::string_view kOther =
      R"({"rules": [{"name": "r", "match_hosts": ["a.com"],
           "headers": [{"name": "X-Other", "type": "opaque"}]}]})";
  constexpr std::string_view kPlain =
      R"({"rules": [{"name": "r", "match_hosts": ["a.com"],
           "headers": [{"name": "X-Plain", "type": "opaque"}]}]})";
  EXPECT_EQ(MistakeOf(kOther), "proxy_config.rules.0.headers.0.value");
  EXPECT_EQ(MistakeOf(kOther, Stored(kOpaqueRule)), "proxy_config.rules.0.headers.0.value");
  EXPECT_EQ(MistakeOf(kPlain, Stored(kOpaqueRule)), "proxy_config.rules.0.headers.0.value");
}

TEST_F(ProxyConfigTest, ChecksWhatARuleMatches) {
  for (std::string_view host :
       {"api.example.com", "*.example.com", "*.a.example.co.uk", "localhost"})
    EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": [")" + std::string(host) + "\"]}"), "")
        << host;
  for (std::string_view host :
       {"https://a.com", "a.com:443", "a.com/x", "*", "*.com", "*.co.uk", "a.*.com", "*a.com", "",
        "a b", "~a", "1.2.3.4", "*.*.com", "a..com", "[::1]"})
    EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": [")" + std::string(host) + "\"]}"),
              "proxy_config.rules.0.match_hosts.0")
        << host;
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": []})"),
            "proxy_config.rules.0.match_hosts");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r"})"), "proxy_config.rules.0.match_hosts");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": "a.com"})"),
            "proxy_config.rules.0.match_hosts");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "match_paths": ["/v1/*"]})"),
            "");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "match_paths": ["v 1"]})"),
            "proxy_config.rules.0.match_paths");
}

TEST_F(ProxyConfigTest, ChecksMatchHeaders) {
  auto headers = [&](std::string_view list) {
    return MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "match_headers": )" +
                         std::string(list) + "}");
  };
  EXPECT_EQ(headers(R"(["authorization: Bearer account-b", "x-team:red", "x-empty:"])"), "");
  EXPECT_EQ(headers("[]"), "");
  for (std::string_view list :
       {R"(["Authorization: x"])", R"(["authorization"])", R"([": x"])", R"(["a b: x"])",
        R"(["x-a: b\r\nx-c: d"])", R"([""])", R"("x-a: b")", "[1]"})
    EXPECT_EQ(headers(list).find("proxy_config.rules.0.match_headers"), 0u) << list;
  EXPECT_EQ(MistakeOfRule(R"({"name": "a", "type": "aws", "match_headers": ["x-a: b"],
                "aws": {"role_arn": "arn:aws:iam::1:role/r"}})"),
            "proxy_config.rules.0.match_headers");
}

TEST_F(ProxyConfigTest, RefusesWhatWouldSendRequestsElsewhere) {
  for (std::string_view member : {"azure", "rewrite", "relay_id"})
    EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], ")" + std::string(member) +
                            R"(": {"port": 80, "host": "b.com"}})"),
              "proxy_config.rules.0." + std::string(member));
  for (std::string_view member : {"azure", "rewrite", "relay_id", "gcp"})
    EXPECT_EQ(MistakeOfRule(R"({"name": "r", "type": "aws",
                  "aws": {"role_arn": "arn:aws:iam::1:role/r"}, ")" +
                            std::string(member) + R"(": {"port": 80, "host": "b.com"}})"),
              "proxy_config.rules.0." + std::string(member));
}

TEST_F(ProxyConfigTest, RefusesTokensOfTheVendorsOwn) {
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "type": "aws", "aws": {"subject_scope": "tag:1",
                "role_arn": "arn:aws:iam::1:role/r"}})"),
            "proxy_config.rules.0.aws.subject_scope");
  for (std::string_view member :
       {"subject_scope", "workload_identity_provider", "service_account_email"})
    EXPECT_EQ(MistakeOfRule(R"({"name": "r", "type": "gcp", "gcp": {"scopes": ["s"], ")" +
                            std::string(member) + R"(": "x"}})"),
              "proxy_config.rules.0.gcp." + std::string(member));
}

TEST_F(ProxyConfigTest, ChecksHeaders) {
  auto header = [&](std::string_view text) {
    return MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "headers": [)" +
                         std::string(text) + "]}");
  };
  EXPECT_EQ(header(R"({"name": "X-A", "type": "plaintext", "value": ""})"), "");
  EXPECT_EQ(header(R"({"name": "X-A", "type": "workspace_secret", "value": "Bearer {KEY}"})"), "");
  const std::string at = "proxy_config.rules.0.headers.0.";
  for (std::string_view name :
       {"Host", "content-length", "Transfer-Encoding", "CONNECTION", "Upgrade", "TE", "Keep-Alive",
        "Proxy-Authorization", "Expect", "Trailer", "HTTP2-Settings", ":authority", "X A", "X:A",
        "X\\nA", "\\u0000", "", " "})
    EXPECT_EQ(
        header(R"({"name": ")" + std::string(name) + R"(", "type": "plaintext", "value": "v"})"),
        at + "name")
        << name;
  for (std::string_view value : {"a\\r\\nX-B: c", "a\\nb", "\\u0000", "\\u007f"})
    for (std::string_view type : {"plaintext", "opaque"})
      EXPECT_EQ(header(R"({"name": "X-A", "type": ")" + std::string(type) + R"(", "value": ")" +
                       std::string(value) + "\"}"),
                at + "value")
          << value;
  for (std::string_view value : {"no reference", "{}", "{A", "A}", "{A}}", "{A B}", "{ }", ""})
    EXPECT_EQ(header(R"({"name": "X-A", "type": "workspace_secret", "value": ")" +
                     std::string(value) + "\"}"),
              at + "value")
        << value;
  auto reference = [&](const std::string& name) {
    return header(R"({"name": "X-A", "type": "workspace_secret", "value": "{)" + name + "}\"}");
  };
  EXPECT_EQ(reference(" A "), "");
  // A name that no secret can have.
  EXPECT_EQ(reference(std::string(128, 'a')), "");
  EXPECT_EQ(reference(std::string(129, 'a')), at + "value");
  EXPECT_EQ(header(R"({"name": "X-A", "type": "secret", "value": "v"})"), at + "type");
  EXPECT_EQ(header(R"({"name": "X-A", "value": "v"})"), at + "type");
  EXPECT_EQ(header(R"({"name": "X-A", "type": "plaintext"})"), at + "value");
  EXPECT_EQ(header(R"({"name": "X-A", "type": "plaintext", "value": 1})"), at + "value");
  EXPECT_EQ(header(R"({"name": "X-A", "type": "plaintext", "value": "1"},
                      {"name": "x-a", "type": "plaintext", "value": "2"})"),
            "proxy_config.rules.0.headers.1.name");
}

TEST_F(ProxyConfigTest, ChecksNamesAndDescriptions) {
  EXPECT_EQ(MistakeOfRule(R"({"match_hosts": ["a.com"]})"), "proxy_config.rules.0.name");
  EXPECT_EQ(MistakeOfRule(R"({"name": " ", "match_hosts": ["a.com"]})"),
            "proxy_config.rules.0.name");
  EXPECT_EQ(
      MistakeOfRule(
          R"({"name": "r", "match_hosts": ["a.com"]}, {"name": "r", "match_hosts": ["b.com"]})"),
      "proxy_config.rules.1.name");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "enabled": "yes"})"),
            "proxy_config.rules.0.enabled");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "type": "azure", "match_hosts": ["a.com"]})"),
            "proxy_config.rules.0.type");
  EXPECT_EQ(MistakeOf(R"({"description": ")" + std::string(1024, 'x') + "\"}"), "");
  EXPECT_EQ(MistakeOf(R"({"description": ")" + std::string(1025, 'x') + "\"}"),
            "proxy_config.description");
  // Characters are counted, not bytes.
  std::string umlauts;
  for (int i = 0; i < 1024; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(MistakeOf(R"({"description": ")" + umlauts + "\"}"), "");
  EXPECT_EQ(MistakeOf(R"({"description": ")" + umlauts + "x\"}"), "proxy_config.description");
  EXPECT_EQ(MistakeOf(R"({"description": 1})"), "proxy_config.description");
}

TEST_F(ProxyConfigTest, TakesAThousandRulesAndSaysSo) {
  auto rules = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += R"({"name":"r)" + std::to_string(i) + R"(","match_hosts":["a.com"]},)";
    text.pop_back();
    return text;
  };
  EXPECT_EQ(MistakeOfRule(rules(1000)), "");
  for (int count : {1001, 10'000}) {
    auto stored =
        StoreProxyConfig(*ParseJson(R"({"rules": [)" + rules(count) + "]}"), nullptr, sealer_);
    ASSERT_FALSE(stored) << count;
    EXPECT_EQ(stored.error().where, (FieldPath{"proxy_config", "rules"}));
    EXPECT_EQ(stored.error().message, "at most 1000 entries are expected");
  }
  std::string callbacks;
  for (int i = 0; i < 101; ++i)
    callbacks += R"({"match_hosts":["a.com"],"url":"https://a.com","ttl_seconds":60},)";
  callbacks.pop_back();
  EXPECT_EQ(MistakeOf(R"({"callbacks": [)" + callbacks + "]}"), "proxy_config.callbacks");
}

TEST_F(ProxyConfigTest, TakesOneRuleOfEachProvider) {
  constexpr std::string_view kKeys =
      R"({"name": "aws", "type": "aws", "enabled": true, "match_hosts": [], "aws": {
          "access_key_id": {"type": "opaque", "value": "AKIA"},
          "secret_access_key": {"type": "workspace_secret", "value": "{AWS_KEY}"}}})";
  json::value stored = Stored(R"({"rules": [)" + std::string(kKeys) + "]}");
  EXPECT_EQ(WriteJson(stored).find("AKIA"), std::string::npos);
  EXPECT_EQ(WriteJson(ShowProxyConfig(stored).at("rules").at(0).at("aws")),
            R"({"access_key_id":{"type":"opaque","is_set":true},)"
            R"("secret_access_key":{"type":"workspace_secret","value":"{AWS_KEY}"}})");
  // And the key is kept when it is not sent again.
  json::value kept = Stored(
      R"({"rules": [{"name": "aws", "type": "aws", "aws": {"access_key_id": {"type": "opaque"},
          "secret_access_key": {"type": "opaque", "value": "k"}}}]})",
      stored);
  EXPECT_EQ(OpenSecret(kept.at("rules").at(0).at("aws").at("access_key_id"), sealer_).value(),
            "AKIA");
  EXPECT_TRUE(HasProviderRule(stored, "aws", RuleState::kEnabled));
  EXPECT_FALSE(HasProviderRule(stored, "gcp", RuleState::kAny));
  EXPECT_EQ(MistakeOfRule(
                std::string(kKeys) +
                R"(,{"name": "b", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r"}})"),
            "proxy_config.rules.1.type");
  EXPECT_EQ(MistakeOfRule(R"({"name": "g", "type": "gcp", "gcp": {"scopes": ["s"],
                "service_account_json": {"type": "opaque", "value": "{}"}}})"),
            "");
}

TEST_F(ProxyConfigTest, RefusesProviderRulesThatSayTooMuchOrTooLittle) {
  auto aws = [&](std::string_view members) {
    return MistakeOfRule(R"({"name": "a", "type": "aws", )" + std::string(members) + "}");
  };
  const std::string at = "proxy_config.rules.0.";
  EXPECT_EQ(aws(R"("aws": {"role_arn": "arn:aws:iam::123456789012:role/r"})"), "");
  EXPECT_EQ(aws(R"("aws": {"role_arn": "r"})"), at + "aws.role_arn");
  EXPECT_EQ(aws(R"("aws": {"role_arn": "arn:aws:iam::1:role/r", "access_key_id": {}})"),
            at + "aws.role_arn");
  EXPECT_EQ(aws(R"("aws": {})"), at + "aws.access_key_id");
  EXPECT_EQ(aws(R"("aws": {"access_key_id": {"type": "plaintext", "value": "v"}})"),
            at + "aws.access_key_id.type");
  EXPECT_EQ(aws(R"("aws": {"access_key_id": {"type": "opaque", "value": "v"}})"),
            at + "aws.secret_access_key");
  EXPECT_EQ(aws(R"("enabled": true)"), at + "aws");
  EXPECT_EQ(aws(R"("match_hosts": ["a.com"], "aws": {"role_arn": "arn:aws:iam::1:role/r"})"),
            at + "match_hosts");
  EXPECT_EQ(aws(R"("headers": [{}], "aws": {"role_arn": "arn:aws:iam::1:role/r"})"),
            at + "headers");
  EXPECT_EQ(MistakeOfRule(R"({"name": "g", "type": "gcp", "gcp": {
                "service_account_json": {"type": "opaque", "value": "{}"}}})"),
            at + "gcp.scopes");
  EXPECT_EQ(MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "aws": {}})"), at + "aws");
}

TEST_F(ProxyConfigTest, TagsOfARoleAreKeptAndShown) {
  auto role = [](std::string_view tags) {
    return R"({"name": "a", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r",
               "session_tags": )" +
           std::string(tags) + "}}";
  };
  constexpr std::string_view kTags = R"({"sealed":"a word like any other","team":"red"})";
  json::value shown = ShowProxyConfig(Stored(R"({"rules": [)" + role(kTags) + "]}"));
  EXPECT_EQ(WriteJson(shown.at("rules").at(0).at("aws").at("session_tags")), kTags);
  for (std::string_view tags : {"[]", "\"x\"", R"({"a": 1})", R"({"": "x"})", R"({"a": ""})"})
    EXPECT_EQ(MistakeOfRule(role(tags)).find("proxy_config.rules.0.aws.session_tags"), 0u) << tags;
  EXPECT_EQ(MistakeOfRule(R"({"name": "a", "type": "aws", "aws": {"session_tags": {"a": "b"},
                "access_key_id": {"type": "opaque", "value": "v"},
                "secret_access_key": {"type": "opaque", "value": "v"}}})"),
            "proxy_config.rules.0.aws.session_tags");
}

TEST_F(ProxyConfigTest, PlaceholdersComeFromEnabledRules) {
  json::value stored = Stored(
      R"({"rules": [
          {"name": "a", "match_hosts": ["a.com"], "env_vars": {"GH_TOKEN": "one", "A": "a"}},
          {"name": "b", "match_hosts": ["a.com"], "env_vars": {"GH_TOKEN": "two", "type": "opaque"}},
          {"name": "c", "match_hosts": ["a.com"], "enabled": false, "env_vars": {"A": "off"}}]})");
  EXPECT_EQ(VariablesOf(stored), (std::map<std::string, std::string>{
                                     {"GH_TOKEN", "two"}, {"A", "a"}, {"type", "opaque"}}));
  EXPECT_EQ(ShowProxyConfig(stored), stored);
  EXPECT_TRUE(VariablesOf(nullptr).empty());
  auto variables = [&](std::string_view text) {
    return MistakeOfRule(R"({"name": "r", "match_hosts": ["a.com"], "env_vars": )" +
                         std::string(text) + "}");
  };
  for (const char* managed :
       {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CA_BUNDLE",
        "AWS_EC2_METADATA_DISABLED", "AWS_WEB_IDENTITY_TOKEN_FILE", "CLOUDSDK_AUTH_ACCESS_TOKEN",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"})
    EXPECT_EQ(variables(R"({")" + std::string(managed) + R"(": "x"})"),
              "proxy_config.rules.0.env_vars")
        << managed;
  EXPECT_EQ(variables(R"({"A=B": "x"})"), "proxy_config.rules.0.env_vars.A=B");
  EXPECT_EQ(variables(R"({"A": 1})"), "proxy_config.rules.0.env_vars.A");
  EXPECT_EQ(variables("[]"), "proxy_config.rules.0.env_vars");
}

TEST_F(ProxyConfigTest, ChecksCallbacks) {
  auto callback = [&](std::string_view members) {
    return MistakeOf(R"({"callbacks": [{)" + std::string(members) + "}]}");
  };
  const std::string at = "proxy_config.callbacks.0.";
  EXPECT_EQ(
      callback(R"("match_hosts": ["a.com"], "url": "http://127.0.0.1:9/x?y", "ttl_seconds": 60,
                        "full_request": true, "request_headers": [
                          {"name": "X-A", "type": "opaque", "value": "v"}])"),
      "");
  EXPECT_EQ(callback(R"("url": "https://a.com", "ttl_seconds": 60)"), at + "match_hosts");
  for (std::string_view url :
       {"", "a.com", "ftp://a.com", "http://", "https://a b", "http://u:p@a.com", "http://a.com:0",
        "http://[::1", "javascript:alert(1)"})
    EXPECT_EQ(callback(R"("match_hosts": ["a.com"], "ttl_seconds": 60, "url": ")" +
                       std::string(url) + "\""),
              at + "url")
        << url;
  for (std::string_view ttl : {"59", "3601", "-60", "\"60\"", "60.5", "null"})
    EXPECT_EQ(callback(R"("match_hosts": ["a.com"], "url": "https://a.com", "ttl_seconds": )" +
                       std::string(ttl)),
              at + "ttl_seconds")
        << ttl;
  EXPECT_EQ(callback(R"("match_hosts": ["a.com"], "url": "https://a.com", "ttl_seconds": 60,
                        "request_headers": [{"name": "X-A", "type": "workspace_secret", "value": "{A}"}])"),
            at + "request_headers.0.type");
  auto header = [&](std::string_view name, std::string_view value) {
    return callback(R"("match_hosts": ["a.com"], "url": "https://a.com", "ttl_seconds": 60,
                       "request_headers": [{"name": ")" +
                    std::string(name) + R"(", "type": "plaintext", "value": ")" +
                    std::string(value) + "\"}]");
  };
  EXPECT_EQ(header("X-A", "v"), "");
  EXPECT_EQ(header("X-A", "v\\r\\nX-B: w"), at + "request_headers.0.value");
  EXPECT_EQ(header("Host", "v"), at + "request_headers.0.name");
  // The last two are taken and replaced by the question's own.
  for (std::string_view name :
       {"User-Agent", "Accept", "content-type", "X-LangSmith-Signature-JWT"})
    EXPECT_EQ(header(name, "v"), "") << name;
  for (std::string_view url : {"HTTP://127.0.0.1:9/x", "HTTPS://a.com"})
    EXPECT_EQ(callback(R"("match_hosts": ["a.com"], "ttl_seconds": 60, "url": ")" +
                       std::string(url) + "\""),
              "")
        << url;
}

TEST_F(ProxyConfigTest, ACallbacksSecretIsKeptByItsUrl) {
  json::value stored = Stored(
      R"({"callbacks": [{"match_hosts": ["a.com"], "url": "https://a.com/t", "ttl_seconds": 60,
          "request_headers": [{"name": "X-A", "type": "opaque", "value": "s3cret"}]}]})");
  constexpr std::string_view kAgain =
      R"({"callbacks": [{"match_hosts": ["b.com"], "url": "https://a.com/t", "ttl_seconds": 600,
          "request_headers": [{"name": "X-A", "type": "opaque"}]}]})";
  json::value kept = Stored(kAgain, stored);
  EXPECT_EQ(OpenSecret(kept.at("callbacks").at(0).at("request_headers").at(0), sealer_).value(),
            "s3cret");
  EXPECT_EQ(MistakeOf(kAgain), "proxy_config.callbacks.0.request_headers.0.value");
}

TEST_F(ProxyConfigTest, WhatIsShownCanBeSentBack) {
  json::value stored = Stored(
      R"({"callbacks": [
          {"match_hosts": ["a.com"], "url": "https://a.com/t", "ttl_seconds": 60,
           "request_headers": [{"name": "X-A", "type": "opaque", "value": "one"}]},
          {"match_hosts": ["b.com"], "url": "https://a.com/t", "ttl_seconds": 60,
           "request_headers": [{"name": "X-B", "type": "opaque", "value": "two"}]}]})");
  EXPECT_EQ(Stored(WriteJson(ShowProxyConfig(stored)), stored), stored);
  stored = Stored(kOpaqueRule);
  EXPECT_EQ(Stored(WriteJson(ShowProxyConfig(stored)), stored), stored);
}

TEST_F(ProxyConfigTest, AnAllowListIsAllThatIsReached) {
  network::Policy policy = EgressOf(Stored(
      R"({"access_control": {"allow_list": ["a.com:443", "~b.*", "10.0.0.0/8"], "deny_list": []}})"));
  EXPECT_EQ(policy, (network::Policy{{"a.com:443", "~b.*", "10.0.0.0/8"}, {}, false}));
  EXPECT_EQ(EgressOf(Stored(R"({"access_control": {"deny_list": ["*.a.com"]}})")),
            (network::Policy{{}, {"*.a.com"}, true}));
  EXPECT_EQ(EgressOf(Stored(R"({"access_control": {"allow_list": []}})")), network::Policy());
  EXPECT_EQ(EgressOf(Stored("{}")), network::Policy());
  EXPECT_EQ(EgressOf(nullptr), network::Policy());
}

TEST_F(ProxyConfigTest, RefusesBothListsAndWhatCannotBeRead) {
  EXPECT_EQ(MistakeOf(R"({"access_control": {"allow_list": ["a.com"], "deny_list": ["b.com"]}})"),
            "proxy_config.access_control");
  for (std::string_view entry :
       {"", "a b", "a.com:0", "10.0.0.0/8:80", "~(", "http://a.com", "[::1"})
    for (std::string_view list : {"allow_list", "deny_list"})
      EXPECT_EQ(MistakeOf(R"({"access_control": {")" + std::string(list) + R"(": ["good.com", ")" +
                          std::string(entry) + R"("]}})"),
                "proxy_config.access_control." + std::string(list) + ".1")
          << entry;
  EXPECT_EQ(MistakeOf(R"({"access_control": {"allow_list": "a.com"}})"),
            "proxy_config.access_control.allow_list");
  EXPECT_EQ(MistakeOf(R"({"access_control": []})"), "proxy_config.access_control");
}

}  // namespace
}  // namespace viv::langsmith
