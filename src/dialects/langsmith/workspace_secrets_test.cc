#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSecretsPath[] = "/api/v1/workspaces/current/secrets";

class WorkspaceSecretsTest : public LangsmithTest {
 protected:
  ParsedResponse Post(std::string body, HeaderList headers = {}) {
    return CallPath("POST", kSecretsPath, std::move(body), std::move(headers));
  }
  std::string Keys(HeaderList headers = {}) {
    ParsedResponse response = CallPath("GET", kSecretsPath, "", std::move(headers));
    EXPECT_EQ(response.status, 200) << response.text;
    return response.text;
  }
  std::string Revealed(const std::string& text) {
    auto revealed =
        account_secrets_.Reveal("mine", {gateway::SecretText::Kind::kBraceReferences, text, ""});
    return revealed ? *revealed : "refused: " + revealed.error().message;
  }
};

TEST_F(WorkspaceSecretsTest, AreMadeChangedAndRemovedByOneCall) {
  EXPECT_EQ(Keys(), "[]");
  EXPECT_EQ(
      Post(R"([{"key": "OPENAI_API_KEY", "value": "one"}, {"key": "other-key", "value": "2"}])")
          .status,
      200);
  EXPECT_EQ(Keys(), R"([{"key":"OPENAI_API_KEY"},{"key":"other-key"}])");
  EXPECT_EQ(Revealed("Bearer {OPENAI_API_KEY}/{other-key}"), "Bearer one/2");
  EXPECT_EQ(Post(R"([{"key": "OPENAI_API_KEY", "value": "three"}])").status, 200);
  EXPECT_EQ(Revealed("{OPENAI_API_KEY}"), "three");
  EXPECT_EQ(account_secrets_.Get("mine", "openai_api_key").value().version, 2);
  EXPECT_EQ(Post(R"([{"key": "OPENAI_API_KEY", "value": null}])").status, 200);
  EXPECT_EQ(Keys(), R"([{"key":"other-key"}])");
  EXPECT_THAT(Revealed("{OPENAI_API_KEY}"), HasSubstr("refused"));
  // Removing what is not there is no mistake.
  EXPECT_EQ(Post(R"([{"key": "OPENAI_API_KEY", "value": null}])").status, 200);
  EXPECT_EQ(Post("[]").status, 200);
}

TEST_F(WorkspaceSecretsTest, ANameIsShownAsItWasLastSpelled) {
  EXPECT_EQ(Post(R"([{"key": "Key", "value": "1"}])").status, 200);
  EXPECT_EQ(Keys(), R"([{"key":"Key"}])");
  EXPECT_EQ(Post(R"([{"key": "KEY", "value": "2"}])").status, 200);
  EXPECT_EQ(Keys(), R"([{"key":"KEY"}])");
  EXPECT_EQ(Revealed("{key}"), "2");
}

TEST_F(WorkspaceSecretsTest, AreTheSameThatOtherDialectsKeep) {
  std::map<std::string, std::string> metadata = {{"team", "a"}};
  ASSERT_TRUE(RunToEnd(account_secrets_.Create("mine", "shared", "old", metadata)));
  EXPECT_EQ(Keys(), R"([{"key":"shared"}])");
  EXPECT_EQ(Post(R"([{"key": "shared", "value": "new"}])").status, 200);
  EXPECT_EQ(Revealed("{shared}"), "new");
  EXPECT_EQ(account_secrets_.Get("mine", "shared").value().metadata.at("team"), "a");
}

TEST_F(WorkspaceSecretsTest, BelongToTheirAccount) {
  EXPECT_EQ(Post(R"([{"key": "K", "value": "mine"}])").status, 200);
  const HeaderList other = {{"X-Api-Key", "other"}};
  EXPECT_EQ(Keys(other), "[]");
  EXPECT_EQ(Post(R"([{"key": "K", "value": null}])", other).status, 200);
  EXPECT_EQ(Revealed("{K}"), "mine");
  EXPECT_EQ(CallOpenly("GET", kSecretsPath).status, 401);
  EXPECT_EQ(CallOpenly("POST", kSecretsPath).status, 401);
}

TEST_F(WorkspaceSecretsTest, NoAnswerHasAValue) {
  const std::string secret = "geheim-0123456789";
  EXPECT_THAT(Post(R"([{"key": "K", "value": ")" + secret + "\"}]").text, Not(HasSubstr(secret)));
  EXPECT_THAT(Post(R"([{"key": "bad key", "value": ")" + secret + "\"}]").text,
              Not(HasSubstr(secret)));
  EXPECT_THAT(Keys(), Not(HasSubstr(secret)));
}

TEST_F(WorkspaceSecretsTest, RefusesTheWholeCallForOneMistake) {
  const std::pair<std::string, const char*> cases[] = {
      {R"({"key": "K", "value": "v"})", ""},
      {"7", ""},
      {R"([7])", "0"},
      {R"([{"key": "GOOD", "value": "v"}, {"value": "v"}])", "1.key"},
      {R"([{"key": "", "value": "v"}])", "0.key"},
      {R"([{"key": "a b", "value": "v"}])", "0.key"},
      {R"([{"key": "{A}", "value": "v"}])", "0.key"},
      {R"([{"key": "A\u0000", "value": "v"}])", "0.key"},
      {R"([{"key": 1, "value": "v"}])", "0.key"},
      {R"([{"key": "SEC_KEY", "value": "v"}])", "0.key"},
      {R"([{"key": ")" + std::string(129, 'k') + R"(", "value": "v"}])", "0.key"},
      {R"([{"key": "GOOD", "value": "v"}, {"key": "K"}])", "1.value"},
      {R"([{"key": "K", "value": 1}])", "0.value"},
      {R"([{"key": "K", "value": ""}])", "0.value"},
      {R"([{"key": "K", "value": "a\u0000b"}])", "0.value"},
      {R"([{"key": "K", "value": ")" + std::string((64 << 10) + 1, 'v') + "\"}]", "0.value"},
  };
  for (const auto& [body, field] : cases) {
    ParsedResponse response = Post(body);
    EXPECT_EQ(response.status, 422) << body.substr(0, 80);
    EXPECT_EQ(response.field(), *field == '\0' ? "body" : field) << body.substr(0, 80);
  }
  std::string many = "[";
  for (int i = 0; i < 101; ++i) many += R"({"key": "K", "value": "v"},)";
  many.back() = ']';
  EXPECT_EQ(Post(many).status, 422);
  for (const char* body : {"", "{", "nonsense"}) EXPECT_EQ(Post(body).status, 400) << body;
  EXPECT_EQ(Post(std::string((1 << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(Keys(), "[]");
}

TEST_F(WorkspaceSecretsTest, TakesWhatFitsExactly) {
  const std::string key(128, 'k');
  EXPECT_EQ(
      Post(R"([{"key": ")" + key + R"(", "value": ")" + std::string(64 << 10, 'v') + "\"}]").status,
      200);
  // A service account has line breaks.
  EXPECT_EQ(Post(R"([{"key": "JSON", "value": "{\n}\n"}])").status, 200);
  EXPECT_EQ(Revealed("{JSON}"), "{\n}\n");
}

}  // namespace
}  // namespace viv::langsmith
